"""The SPARQL 1.1 Protocol: `/query` (and `/sparql`), and `/update`, at once or later."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from purport.embedded.receipts import UpdateReceipt
from purport.service.answer_formats import IN_MEMORY, WrittenAnswer, written_answer
from purport.service.answers import json_answer
from purport.service.bodies import parsed
from purport.service.deadline import Deadline, in_time
from purport.service.protocol_request import asked_query, asked_update
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
        asked = await asked_query(request)
        accept = ",".join(request.headers.getlist("accept"))

        def written(deadline: Deadline) -> WrittenAnswer:
            answer = service.broker.query(asked.text, dataset=asked.dataset, who=who)
            return written_answer(answer, accept, deadline)

        seconds = service.settings.limits.query_seconds
        answer = await in_time(service.desk, written, seconds)
        service.metrics.queries += 1
        return await _response(answer)

    async def update(request: Request) -> Response:
        who = await service.who(request)
        asked = await asked_update(request)
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
