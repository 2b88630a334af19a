"""The report of a job: one HTML page that stands alone, made whether the job still runs or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from purport import inline_plots, page
from purport.errors import MissingExtra, UnusablePath
from purport.model.language.write import write_predicate
from purport.model.term import printable
from purport.page import Cell, Row, code, number, text
from purport.pipeline.sinks.match_message import MatchPart
from purport.pipeline.stored.explanation import stored_mapping
from purport.pipeline.stored.letters import Refused
from purport.pipeline.stored.matches import StoredMatch
from purport.pipeline.stored.source_events import EventGone
from purport.pipeline.stored.summary import EXAMPLES, JobSummary

_BARS = 15
_SUBSCRIPTIONS = 100
_REASONS = 20
_LONGEST_TEXT = 160
_SURE = 0.995  # what is told as 1.00
_NOTHING_YET = "<p>Nothing yet.</p>"
_WAITING = "Spark, and waiting"


def report(summary: JobSummary) -> str:
    """The page."""
    seen = summary.seen
    parts = {
        "facts": page.facts(_facts(summary)),
        "tiles": page.tiles(_tiles(summary)),
        "course": _drawn(_pictures_of_course, summary),
        "found": _drawn(_pictures_of_matches, summary),
        "subscriptions": _subscriptions(summary),
        "versions": _versions(summary),
        "surest": _examples(summary, seen.most_sure(EXAMPLES) if seen else []),
        "least_sure": _least_sure(summary),
        "refused": _refused(summary),
        "time": _time(summary),
    }
    template = Path(__file__).with_suffix(".html")
    made = f"made at {_instant(datetime.now(UTC).timestamp())}"
    return page.page("Purport: what the stream found", template, parts, provenance=made)


def pictures_missing() -> MissingExtra | None:
    """Why a report would be without pictures, if it would."""
    try:
        inline_plots.require()
    except MissingExtra as missing:
        return missing
    return None


def _facts(summary: JobSummary) -> dict[str, str]:
    identity, figures, last = summary.job.identity, summary.figures, summary.tally.last
    known = {"reads": code(identity.source), "writes": code(identity.sink)}
    if identity.since is not None:
        known["since"] = text(identity.since)
    known["remembers in"] = code(summary.job.folder.folder)
    if figures is not None:
        heard = figures.last_progress or figures.started or 0.0
        known["state"] = text(f"{figures.state}, last heard of at {_instant(heard)}")
    if last is not None:
        known["last batch"] = text(f"number {last.batch:,}, done at {_instant(last.finished)}")
    return known


def _tiles(summary: JobSummary) -> dict[str, str]:
    tally = summary.tally
    counts, last = tally.counts, tally.last
    figures = {
        "events": f"{counts.events:,}",
        "matches": f"{tally.matches.total():,}",
        "dead letters": f"{counts.dead_letters:,}",
        "batches": f"{tally.batches:,}",
    }
    if tally.seconds:
        figures["events a second"] = f"{counts.events / tally.seconds:,.0f}"
    if last is not None and last.lag_seconds is not None:
        figures["behind"] = f"{last.lag_seconds:,.1f} s"
    asked = summary.asked()
    if asked is not None:
        answered = len(summary.versions[max(summary.versions)].matches)
        figures["subscriptions with a match"] = f"{answered:,} of {asked:,}"
    return figures


def _drawn(pictures: Callable[[JobSummary], Iterable[str]], summary: JobSummary) -> str:
    """Pictures, or why there are none."""
    try:
        drawn = list(pictures(summary))
    except MissingExtra as missing:
        return f"<p>No pictures: {text(missing)}</p>"
    return page.pictures(drawn) if drawn else _NOTHING_YET


def _pictures_of_course(summary: JobSummary) -> Iterable[str]:
    rates = {one.batch: one.events_per_second for one in summary.courses}
    if rates:
        told = f"From {min(rates.values()):,.0f} to {max(rates.values()):,.0f} events a second."
        svg = inline_plots.lines("rate", told, rates, ("batch", "events/s"))
        yield page.figure("Events a second, by batch", svg)
    lags = {one.batch: one.lag_seconds for one in summary.courses if one.lag_seconds is not None}
    if lags:
        told = f"From {min(lags.values()):,.1f} to {max(lags.values()):,.1f} seconds."
        svg = inline_plots.lines("lag", told, lags, ("batch", "seconds"))
        yield page.figure("How old the oldest source was when its matches were written", svg)


def _pictures_of_matches(summary: JobSummary) -> Iterable[str]:
    matches = summary.tally.matches
    if matches:
        shown = {printable(name): count for name, count in matches.most_common(_BARS)}
        more = len(matches) - _BARS
        if more > 0:
            shown[f"{more:,} more"] = matches.total() - sum(shown.values())
        told = "; ".join(f"{name}: {count:,}" for name, count in shown.items())
        yield page.figure("Matches by subscription", inline_plots.bars("found", told, shown))
    if summary.seen is not None and summary.seen.count:
        counts = summary.seen.by_probability.tolist()
        step = 1 / len(counts)
        told = "; ".join(
            f"{place * step:.2f} to {(place + 1) * step:.2f}: {count:,}"
            for place, count in enumerate(counts)
            if count
        )
        svg = inline_plots.histogram("probable", told, counts, ("probability", "matches"))
        yield page.figure("Matches by probability", svg)


def _subscriptions(summary: JobSummary) -> str:
    matches = summary.tally.matches
    if not matches:
        return ""
    most = matches.most_common(_SUBSCRIPTIONS)
    rows: list[Row] = [
        [
            _asked(summary, name),
            number(count, count / most[0][1]),
            Cell(_reach(summary, name), is_number=True),
        ]
        for name, count in most
    ]
    more = len(matches) - len(most)
    if more > 0:
        rest = matches.total() - sum(count for _, count in most)
        rows.append([text(f"{more:,} more"), number(rest, rest / most[0][1]), ""])
    caption = "Matches, and between which probabilities"
    return page.table(caption, ["subscription", "matches", "probability"], rows)


def _asked(summary: JobSummary, name: str) -> str:
    """What a person calls a subscription, above what it asks for."""
    try:
        found = summary.job.versions.line(max(summary.versions), name)
    except UnusablePath:
        found = None
    if found is None:
        return f"{text(name)}<code>no longer subscribed</code>"
    return text(name) if found == name else f"{text(name)}{code(found)}"


def _reach(summary: JobSummary, name: str) -> str:
    seen = summary.seen
    if seen is None or name not in seen.surest:
        return ""
    low, high = seen.least_sure[name][0].probability, seen.surest[name][0].probability
    return f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"


def _versions(summary: JobSummary) -> str:
    if not summary.versions:
        return _NOTHING_YET
    columns = ["version", "subscriptions", "changed", "settings", "batches", "events", "matches"]
    rows = (_version(summary, number) for number in sorted(summary.versions))
    return page.table("What was matched with which version", columns, rows)


def _version(summary: JobSummary, version: int) -> Row:
    versions, tally = summary.job.versions, summary.versions[version]
    try:
        lines, settings = Counter(versions.lines(version)), versions.settings(version)
        before = Counter(versions.lines(version - 1)) if version > 1 else lines
    except UnusablePath as error:
        asked, changed, set_to = "", text(error), ""
    else:
        asked = f"{lines.total():,}"
        new, gone = (lines - before).total(), (before - lines).total()
        changed = f"{new:,} new, {gone:,} gone" if new or gone else ""
        set_to = text(settings.told())
    counts = (tally.batches, tally.counts.events, tally.matches.total())
    return [f"{version}", Cell(asked, is_number=True), changed, set_to, *map(number, counts)]


def _least_sure(summary: JobSummary) -> str:
    seen = summary.seen
    unsure = [one for one in seen.least(EXAMPLES) if one.probability < _SURE] if seen else []
    if seen is not None and seen.count and not unsure:
        return "<p>All matches have a probability of 1.</p>"
    return _examples(summary, unsure)


def _examples(summary: JobSummary, matches: Iterable[StoredMatch]) -> str:
    shown = [
        page.card(
            f"{text(match.event_id)} <small>{match.probability:.2f}, {text(match.subscription)}, "
            f"version {match.version}</small>",
            _mapping(summary, match),
        )
        for match in matches
    ]
    if summary.seen is None:
        return "<p>The matches are not in files, so they cannot be shown.</p>"
    return page.cards(shown) if shown else _NOTHING_YET


def _mapping(summary: JobSummary, match: StoredMatch) -> str:
    """Which statement answered which predicate; in time, which event which part of the pattern."""
    if match.parts is not None:
        return _parts(match, match.parts)
    event = summary.events_seen[match]
    try:
        subscription = summary.job.versions.find(match.version, match.subscription)
        if isinstance(event, EventGone):
            raise event
        if subscription is None:
            raise EventGone("the subscription is not known any more")
        mapping = stored_mapping(match, subscription, event)
    except (EventGone, UnusablePath) as error:
        return f'<p class="soft">{text(error)}</p>'
    rows: list[Row] = [
        [
            code(write_predicate(pair.predicate)),
            text(pair.statement),
            Cell(f"{pair.similarity:.2f}", pair.similarity),
        ]
        for pair in mapping.correspondences
    ]
    where = f"{match.source}:{match.offset}"
    return page.table(where, ["asked for", "answered by", "similarity"], rows)


def _parts(match: StoredMatch, parts: Iterable[MatchPart]) -> str:
    rows: list[Row] = [
        [code(one.place), text(one.event_id), Cell(f"{one.probability:.2f}", one.probability)]
        for one in parts
    ]
    where = f"{match.source}:{match.offset}"
    return page.table(where, ["asked for", "answered by", "probability"], rows)


def _refused(summary: JobSummary) -> str:
    if not summary.refused:
        return "<p>Nothing.</p>"
    most = summary.refused[0].count
    rows: list[Row] = [
        [text(one.kind), number(one.count, one.count / most), _letters(one)]
        for one in summary.refused[:_REASONS]
    ]
    more = summary.refused[_REASONS:]
    if more:
        rest = sum(one.count for one in more)
        rows.append([text(f"{len(more):,} more reasons"), number(rest, rest / most), ""])
    return page.table("Dead letters by reason", ["reason", "records", "such as"], rows)


def _letters(refused: Refused) -> str:
    return "".join(
        f'<div><span class="soft">{text(f"{one.source}:{one.line}")}</span> '
        f"{code(_cut(one.text))}</div>"
        for one in refused.examples
    )


def _cut(said: str) -> str:
    return said if len(said) <= _LONGEST_TEXT else f"{said[:_LONGEST_TEXT]}…"


def _time(summary: JobSummary) -> str:
    tally = summary.tally
    if not tally.core_seconds:
        return _NOTHING_YET
    parts = {part.replace("_", " "): took for part, took in tally.counts.work.items()}
    parts[_WAITING] = summary.waiting

    def picture(_: JobSummary) -> Iterable[str]:
        told = "; ".join(f"{part}: {spent:,.1f} seconds" for part, spent in parts.items())
        yield page.figure("What the cores did", inline_plots.shares("time", told, parts))

    cores = tally.last.cores if tally.last is not None else 1
    tables = _seconds(f"Seconds of {cores} cores, over all batches", parts, tally.core_seconds)
    figures = summary.figures
    if figures is not None and figures.trigger_seconds:
        told = f"Seconds of {figures.triggers:,} triggers, by Spark's names, in the last run"
        took = dict(sorted(figures.trigger_seconds.items(), key=lambda part: -part[1]))
        tables += _seconds(told, took, max(took.values()))
    return f'<div class="pair">{_drawn(picture, summary)}{tables}</div>'


def _seconds(caption: str, parts: Mapping[str, float], whole: float) -> str:
    rows: list[Row] = [
        [text(part), Cell(f"{took:,.1f}", took / whole if whole else 0.0)]
        for part, took in parts.items()
    ]
    return page.table(caption, ["part", "seconds"], rows)


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "seconds")
