"""What Twilio says instead of a result."""

from __future__ import annotations

from pydantic import JsonValue

Json = dict[str, JsonValue]


class ApiRefusal(Exception):  # noqa: N818 - what the server answers, no fault of its own.
    """An answer with an error code of Twilio's.

    `violation` marks requests that break the description, whatever the state of
    things: a client must never make them.
    """

    def __init__(
        self,
        status: int,
        code: int,
        message: str,
        *,
        retry_after: int | None = None,
        violation: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after
        self.violation = violation

    def json(self) -> Json:
        """The body of the answer."""
        return {
            "code": self.code,
            "message": self.message,
            "more_info": f"https://www.twilio.com/docs/errors/{self.code}",
            "status": self.status,
        }


def unauthenticated() -> ApiRefusal:
    """401; the account or its token is wrong."""
    return ApiRefusal(401, 20003, "Authenticate")


def not_found(path: str) -> ApiRefusal:
    """404; there is nothing of that name."""
    return ApiRefusal(404, 20404, f"The requested resource {path} was not found")


def too_many_requests(seconds: int) -> ApiRefusal:
    """429; nothing is taken for so many seconds."""
    return ApiRefusal(429, 20429, "Too Many Requests", retry_after=seconds)


def bad_request(code: int, message: str, *, violation: bool = False) -> ApiRefusal:
    """400; the request as it stands will not do."""
    return ApiRefusal(400, code, message, violation=violation)
