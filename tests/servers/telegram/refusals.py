"""What Telegram says instead of a result."""

from __future__ import annotations

from pydantic import JsonValue

Json = dict[str, JsonValue]


class ApiRefusal(Exception):  # noqa: N818 - what the server answers, no fault of its own.
    """An answer with `ok: false`.

    `violation` marks requests that break the documentation, whatever the state of
    the chats: a client must never make them.
    """

    def __init__(
        self,
        code: int,
        description: str,
        *,
        parameters: Json | None = None,
        violation: bool = False,
    ) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters
        self.violation = violation

    def json(self) -> Json:
        """The body of the answer."""
        body: Json = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters is not None:
            body["parameters"] = self.parameters
        return body


def bad_request(reason: str, *, violation: bool = False) -> ApiRefusal:
    """400; the request as it stands will never do."""
    return ApiRefusal(400, f"Bad Request: {reason}", violation=violation)


def forbidden(reason: str) -> ApiRefusal:
    """403; who is written to does not want it."""
    return ApiRefusal(403, f"Forbidden: {reason}")


def conflict(reason: str) -> ApiRefusal:
    """409; updates go elsewhere."""
    return ApiRefusal(409, f"Conflict: {reason}")


def too_many_requests(seconds: int) -> ApiRefusal:
    """429; nothing is taken for so many seconds."""
    return ApiRefusal(
        429,
        f"Too Many Requests: retry after {seconds}",
        parameters={"retry_after": seconds},
    )


def migrated(chat_id: int) -> ApiRefusal:
    """400; the group goes on as the supergroup of this id."""
    return ApiRefusal(
        400,
        "Bad Request: group chat was upgraded to a supergroup chat",
        parameters={"migrate_to_chat_id": chat_id},
    )
