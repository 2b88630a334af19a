"""Values of other formats as JSON has them: rows, CBOR and Avro know more kinds than JSON."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any


def plain_value(value: Any) -> Any:
    """A value as JSON has it: a time without a zone is in UTC, what is no number says nothing."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case datetime():
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal() if not value.is_finite():
            return None
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case bytes():
            return value.decode("utf-8", "backslashreplace")
        case dict():
            return {name: plain_value(inner) for name, inner in value.items()}
        case list() if value and all(isinstance(one, tuple) for one in value):  # a map
            return {str(name): plain_value(inner) for name, inner in value}
        case list():
            return [plain_value(inner) for inner in value]
    return value
