"""The SPARQL 1.1 Protocol: `/query` (and `/sparql`), and `/update`, at once or later."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator
from datetime import datetime

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from purport.embedded.receipts import UpdateReceipt
from purport.service.answer_formats import (
    IN_MEMORY,
    Deadline,
    QueryTooSlow,
    WrittenAnswer,
    written_answer,
)
from purport.service.answers import json_answer
from purport.service.bodies import parsed
from purport.service.protocol_request import AskedQuery, asked_query, asked_update
from purport.service.room import when_there_is_room
from purport.service.service import Service
from purport.sparql.using_graphs import using

_PORTION = 64 * 1024


class UpdateDone(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an update has done; or, of one that waits, its number and when it is due."""

    sequence: int
    added: int | None = None
    removed: int | None = None
    notified: int | None = None  # how many subscribers are told that their answers have changed
    number: int | None = None
    due: datetime | None = None


class _UpdateBody(msgspec.Struct, frozen=True, rename={"is_json": "isJson"}):
    """As clients of the SPARQL 1.1 Secure Event protocol have it."""

    body: UpdateDone
    is_json: bool = True


class UpdateAnswer(msgspec.Struct, frozen=True):
    """The answer to an update."""

    response: _UpdateBody


def routes(service: Service) -> list[BaseRoute]:
    """Where queries are asked and updates are made."""

    async def query(request: Request) -> Response:
        who = await service.who(request)
        limits = service.settings.limits
        asked = await asked_query(request, limits.body_bytes)
        accept = ",".join(request.headers.getlist("accept"))
        answer = await _answered(service, asked, who, accept, Deadline(limits.query_seconds))
        service.metrics.queries += 1
        return await _response(answer)

    async def update(request: Request) -> Response:
        who = await service.who(request)
        asked = await asked_update(request, service.settings.limits.body_bytes)
        text = await parsed(asked.text, lambda: using(asked.text, asked.dataset))

        def run() -> UpdateReceipt:
            return service.broker.update(text, at=asked.at, after=asked.after, publisher=who)

        receipt = await when_there_is_room(
            lambda: service.desk.write(run), service.settings.limits.block_seconds
        )
        return _update_response(receipt)

    return [
        Route("/query", query, methods=["GET", "POST"]),
        Route("/sparql", query, methods=["GET", "POST"]),
        Route("/update", update, methods=["POST"]),
    ]


async def _answered(
    service: Service, asked: AskedQuery, who: str | None, accept: str, deadline: Deadline
) -> WrittenAnswer:
    """The answer, as it is written in one of the threads that read.

    A query that has no solution for longer than it may take is given up: nobody waits for it any
    longer, and its thread ends with the next portion.
    """

    def answered() -> WrittenAnswer:
        try:
            return _written(service, asked, who, accept, deadline)
        except BaseException as error:
            _forget_frames(error)
            raise

    try:
        return await asyncio.wait_for(service.desk.read(answered), deadline.left)
    except TimeoutError:
        raise QueryTooSlow(deadline.seconds) from None
    finally:
        deadline.end()


def _written(
    service: Service, asked: AskedQuery, who: str | None, accept: str, deadline: Deadline
) -> WrittenAnswer:
    deadline.require()
    answer = service.broker.query(asked.text, dataset=asked.dataset, who=who)
    return written_answer(answer, accept, deadline)


def _forget_frames(error: BaseException | None) -> None:
    """Frames hold an answer of pyoxigraph's, which only the thread that has it may let go."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__context__


async def _response(answer: WrittenAnswer) -> Response:
    headers = {
        "Content-Type": answer.content_type,
        "Content-Length": str(answer.length),
        "Vary": "Accept",
        "Cache-Control": "no-cache",
    }
    if answer.length > IN_MEMORY:
        return StreamingResponse(_portions(answer), headers=headers)
    with answer.file as file:
        return Response(file.read(), headers=headers)


async def _portions(answer: WrittenAnswer) -> AsyncIterator[bytes]:
    with answer.file as file:
        while portion := await asyncio.to_thread(file.read, _PORTION):
            yield portion


def _update_response(receipt: UpdateReceipt) -> Response:
    if receipt.number is not None:
        done = UpdateDone(receipt.sequence, number=receipt.number, due=receipt.due)
        status, headers = 202, {"Location": f"/updates/{receipt.number}"}
    else:
        done = UpdateDone(receipt.sequence, receipt.added, receipt.removed, receipt.notified)
        status, headers = 200, {}
    return json_answer(UpdateAnswer(_UpdateBody(done)), status, headers)
