"""What can go wrong between a client and its server."""

from __future__ import annotations

from purport.errors import PurportError

_BAD_LOGIN = 401


class ServerUnreachable(PurportError):
    """A server does not answer: nobody is there, it took too long, or the connection broke."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.address, self.reason = address, reason

    def __str__(self) -> str:
        return f"{self.address} does not answer: {self.reason}"


class ServerRefused(PurportError):
    """A server refuses a request: with a status as of HTTP, a code, and words."""

    def __init__(
        self, status: int, code: str, description: str = "", *, retry_after: float | None = None
    ) -> None:
        super().__init__(status, code, description)
        self.status, self.code, self.description = status, code, description
        self.retry_after = retry_after

    def __str__(self) -> str:
        words = f": {self.description}" if self.description else ""
        return f"the server refuses ({self.status} {self.code}){words}"

    @property
    def wants_login(self) -> bool:
        """Whether a new token may help."""
        return self.status == _BAD_LOGIN


class ServerAnswersNonsense(PurportError):
    """What a server answers is not what was asked for: it may be no Purport server."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(address, reason)
        self.address, self.reason = address, reason

    def __str__(self) -> str:
        return f"{self.address} answers something else than was asked for: {self.reason}"
