"""What a service logs: lines on standard error, as text or as JSON; no bodies and no secrets."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

_LOGGERS = ("purport", "uvicorn.error", "asyncio")


class JsonLines(logging.Formatter):
    """Each record is one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        told: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


def begin_logging(form: str) -> None:
    """Log to standard error from now on; of the server only what went wrong."""
    handler = logging.StreamHandler(sys.stderr)
    text = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    handler.setFormatter(JsonLines() if form == "json" else text)
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
    logging.getLogger("purport").setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)  # its lines have query strings
