"""KBN's first scenario (its section VI.A): failed logins lower the level of a log for a while.

Messages below WARNING are left out of the log. After three warnings of a failed login, each less
than two seconds after the last, a minute of INFO is let in: more may be seen of who tries. Time is
simulated: the seconds stand in the story.

    python examples/failed_logins.py
"""

from datetime import UTC, datetime, timedelta

from purport import Event, parse
from purport.temporal.engine import TemporalEngine

FOR_A_WHILE = timedelta(minutes=1)
LEVELS = ("TRACE", "DEBUG", "INFO", "WARNING", "ERROR")

# Each comes less than two seconds (the bound counts: 1999 ms) after the one in its own braces.
FAILED = "level = WARNING, message = login failed"
INTRUSION = f"{{{FAILED}, start after(1999 ms) {{{FAILED}, start after(1999 ms) {{{FAILED}}}}}}}"

STORY = (
    (1, "INFO", "disk checked"),
    (5, "WARNING", "login failed"),
    (9, "WARNING", "login failed"),
    (10.5, "WARNING", "login failed"),
    (11, "INFO", "login from 203.0.113.9"),
    (12, "WARNING", "login failed"),
    (13, "INFO", "login from 203.0.113.9"),
    (60, "DEBUG", "cache cleaned"),
    (71, "INFO", "login from 203.0.113.9"),
    (75, "INFO", "disk checked"),
)


class Log:
    """Shows messages of a level, and lower ones for a while after an intrusion was suspected."""

    def __init__(self) -> None:
        self._engine = TemporalEngine()
        self._engine.add("intrusion", parse(INTRUSION))
        self._lowered_until = datetime.min.replace(tzinfo=UTC)

    def write(self, level: str, message: str, at: datetime) -> list[str]:
        """What is to be read when a message comes."""
        lines = []
        least = "INFO" if at <= self._lowered_until else "WARNING"
        if LEVELS.index(level) >= LEVELS.index(least):
            lines.append(f"{level:<7}  {message}")
        event = Event.from_json({"level": level, "message": message})
        for found in self._engine.take(event, at).detections:
            self._lowered_until = at + FOR_A_WHILE
            count = 1 + len(list(found.instance.all_parts()))
            lines.append(f"-------  {count} failed logins: from now on INFO, for a minute")
        return lines


def main() -> None:
    """Some messages: seconds, and what the log shows."""
    start, log = datetime(2026, 11, 18, 3, tzinfo=UTC), Log()
    for seconds, level, message in STORY:
        for line in log.write(level, message, start + timedelta(seconds=seconds)):
            print(f"{seconds:>5} s  {line}")


if __name__ == "__main__":
    main()
