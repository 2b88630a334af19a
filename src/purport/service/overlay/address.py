"""Where a broker takes links."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from purport.errors import InvalidInput

_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


def overlay_address(url: str) -> str:
    """Where a broker takes links, by the address of its service; `InvalidInput` if it is none.

    >>> overlay_address("https://north.example:8443/secure")
    'wss://north.example:8443/secure/overlay'
    """
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in _SCHEMES and bool(parts.hostname) and url.isprintable()
        parts.port  # noqa: B018 - a port that is no number is an error
    except ValueError:
        is_usable = False
    if not is_usable or " " in url or parts.query or parts.fragment:
        raise InvalidInput(f"expected an address such as http://127.0.0.1:8000, got {url!r:.100}")
    if "@" in parts.netloc:
        raise InvalidInput(f"an address at {parts.hostname!r} names a user: give a token instead")
    path = f"{parts.path.rstrip('/')}/overlay"
    return urlunsplit((_SCHEMES[parts.scheme], parts.netloc, path, "", ""))
