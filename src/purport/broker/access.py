"""Who may do what: access rules as pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from purport.errors import InvalidInput, PurportError
from purport.mqtt.topic_filters import require_topic_pattern, topic_matches

ANYONE = "*"
EVERY_GRAPH = "*"  # instead of one graph: allowed if no graph at all is denied


class Forbidden(PurportError):
    """Somebody may not do what they asked for."""


class Action(StrEnum):
    """What can be allowed."""

    PUBLISH = "publish"
    SUBSCRIBE = "subscribe"
    UPDATE = "update"
    MANAGE = "manage"  # see, change, pause, resume, end and cancel what is others'


class Effect(StrEnum):
    """What a rule says; a denial counts for more than any permission."""

    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class AccessRule:
    """Allows or denies some actions to some, on topics and graphs.

    `who` are names, or `*` for anyone, those without a name too. Topics are patterns as in MQTT:
    `building/+/heat` with any one level, `building/#` with all below it and itself. Graphs are
    IRIs, or beginnings of IRIs followed by `*`, or `default`. A rule about topics says nothing of
    graphs, nor one about graphs of topics: for both, there are two rules.
    """

    who: frozenset[str]
    actions: frozenset[Action]
    topics: tuple[str, ...] = ("#",)
    graphs: tuple[str, ...] = ("*",)
    effect: Effect = Effect.ALLOW

    def __post_init__(self) -> None:
        for what in (self.who, self.actions, self.topics, self.graphs):
            if isinstance(what, str) or not all(isinstance(one, str) for one in what):
                raise InvalidInput(f"an access rule has sets of names and patterns, got {what!r}")
        for pattern in self.topics:
            require_topic_pattern(pattern)
        if "#" not in self.topics and "*" not in self.graphs:
            told = f"of topics ({', '.join(self.topics)}) or of graphs ({', '.join(self.graphs)})"
            raise InvalidInput(f"an access rule says something {told}, not of both: make two of it")

    def is_about(self, who: str | None, action: Action) -> bool:
        """Whether it says anything of this, on whatever topic."""
        return action in self.actions and (
            ANYONE in self.who or (who is not None and who in self.who)
        )

    def concerns(self, who: str | None, action: Action, topic: str, graph: str) -> bool:
        """Whether it says anything of this."""
        return (
            self.is_about(who, action)
            and any(topic_matches(pattern, topic) for pattern in self.topics)
            and self._concerns_graph(graph)
        )

    def _concerns_graph(self, graph: str) -> bool:
        if graph == EVERY_GRAPH and self.effect is Effect.DENY:
            return bool(self.graphs)
        return any(_graph_matches(pattern, graph) for pattern in self.graphs)


@dataclass(frozen=True, slots=True)
class AccessRules:
    """What is allowed: what a rule allows and none denies; `is_open`: everything none denies."""

    rules: tuple[AccessRule, ...] = ()
    is_open: bool = False

    def allows(self, who: str | None, action: Action, *, topic: str = "", graph: str = "") -> bool:
        """Whether somebody may do something."""
        if not self.rules:
            return self.is_open
        effects = {one.effect for one in self.rules if one.concerns(who, action, topic, graph)}
        return Effect.DENY not in effects and (self.is_open or Effect.ALLOW in effects)

    def allows_somewhere(self, who: str | None, action: Action) -> bool:
        """Whether there may be a topic and a graph on which somebody may do something."""
        allowing = (one for one in self.rules if one.effect is Effect.ALLOW)
        return self.is_open or any(one.is_about(who, action) for one in allowing)

    def allows_everywhere(self, who: str | None, action: Action) -> bool:
        """Whether somebody may do something on every topic, in the default graph."""
        said = [one for one in self.rules if one.is_about(who, action)]
        if any(one.effect is Effect.DENY for one in said):
            return False
        return self.is_open or any("#" in one.topics and "*" in one.graphs for one in said)

    def require(self, who: str | None, action: Action, *, topic: str = "", graph: str = "") -> None:
        """Raise `Forbidden` if somebody may not do something."""
        if not self.allows(who, action, topic=topic, graph=graph):
            where = f" on {topic or graph!r}" if topic or graph else ""
            where = " on every graph" if graph == EVERY_GRAPH else where
            raise Forbidden(f"{who or 'somebody without a name'} may not {action}{where}")


OPEN = AccessRules(is_open=True)


def _graph_matches(pattern: str, graph: str) -> bool:
    return graph.startswith(pattern[:-1]) if pattern.endswith("*") else graph == pattern
