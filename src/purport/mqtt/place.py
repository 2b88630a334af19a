"""Where a broker is, and how one speaks to it: plainly or over TLS."""

from __future__ import annotations

import ssl
from pathlib import Path

import msgspec

from purport.errors import UnusablePath


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A broker's host and port, and what proves over TLS who it is and who we are."""

    host: str
    port: int = 1883
    is_encrypted: bool = False
    ca: Path | None = None  # those who vouch for the broker; otherwise the system's
    certificate: Path | None = None  # ours, with its key in the same file or another
    key: Path | None = None
    connect_seconds: float = 10.0

    def __str__(self) -> str:
        scheme = "mqtts" if self.is_encrypted else "mqtt"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}"

    def context(self) -> ssl.SSLContext | None:
        """What TLS needs; None if it is not wanted. `UnusablePath` for a file that is no use."""
        if not self.is_encrypted:
            return None
        path = self.ca
        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.certificate is not None:
                path = self.certificate
                context.load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as error:
            reason = error.strerror or str(error)
            raise UnusablePath(path or "certificates", f"no use for TLS: {reason}") from None
        return context
