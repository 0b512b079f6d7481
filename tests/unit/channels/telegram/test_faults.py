from __future__ import annotations

import httpx
import pytest
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    TelegramError,
    TimedOut,
)

from channels.telegram.api import FloodError, StatusError, describe, send_error
from gaia.errors import PermanentSendError, RetryableSendError, SendError, UnknownSendError

SECRET_URL = "https://api.telegram.org/bot123456789:canary/sendMessage"


def because_of(cause: Exception, error: type[NetworkError] = NetworkError) -> NetworkError:
    raised = error(f"httpx: {cause}")
    raised.__cause__ = cause
    return raised


NOT_SENT = RetryableSendError
NETWORK: list[tuple[TelegramError, type[SendError]]] = [
    (because_of(httpx.ConnectError(SECRET_URL)), NOT_SENT),
    (because_of(httpx.ConnectTimeout(SECRET_URL), TimedOut), NOT_SENT),
    (because_of(httpx.PoolTimeout(SECRET_URL), TimedOut), NOT_SENT),
    (because_of(httpx.ReadTimeout(SECRET_URL), TimedOut), UnknownSendError),
    (because_of(httpx.WriteTimeout(SECRET_URL), TimedOut), UnknownSendError),
    (because_of(httpx.ReadError(SECRET_URL)), UnknownSendError),
    (because_of(httpx.WriteError(SECRET_URL)), UnknownSendError),
    (because_of(httpx.RemoteProtocolError(SECRET_URL)), UnknownSendError),
    (because_of(httpx.InvalidURL(SECRET_URL)), UnknownSendError),
    (because_of(RuntimeError(SECRET_URL)), UnknownSendError),
    (NetworkError(SECRET_URL), UnknownSendError),
]
ANSWERS: list[tuple[TelegramError, type[SendError]]] = [
    (FloodError(7), NOT_SENT),
    (ChatMigrated(-100900), NOT_SENT),
    (InvalidToken(f"The token {SECRET_URL}"), NOT_SENT),
    (Conflict("terminated by other getUpdates request"), NOT_SENT),
    (Forbidden("bot was blocked by the user"), PermanentSendError),
    (Forbidden("bot was kicked from the supergroup chat"), PermanentSendError),
    (BadRequest("Chat not found"), PermanentSendError),
    (Forbidden("the group chat was deleted"), PermanentSendError),
    (BadRequest("Not enough rights to send text messages to the chat"), NOT_SENT),
    (BadRequest("Not enough rights to send documents to the chat"), PermanentSendError),
    (BadRequest("Have no rights to send a message"), NOT_SENT),
    (BadRequest("Chat_write_forbidden"), NOT_SENT),
    (Forbidden("CHAT_WRITE_FORBIDDEN"), NOT_SENT),
    (BadRequest("Chat_restricted"), NOT_SENT),
    (BadRequest("Topic_closed"), NOT_SENT),
    (BadRequest("Message is too long"), PermanentSendError),
    (StatusError(200), UnknownSendError),
    (StatusError(302), NOT_SENT),
    (StatusError(403), NOT_SENT),
    (StatusError(413), NOT_SENT),
    (StatusError(500), UnknownSendError),
    (StatusError(502), NOT_SENT),
    (StatusError(503), NOT_SENT),
    (StatusError(504), UnknownSendError),
    (StatusError(524), UnknownSendError),
]


@pytest.mark.parametrize(("fault", "kind"), [*NETWORK, *ANSWERS], ids=lambda each: repr(each))
def test_a_fault_tells_what_became_of_the_message(
    fault: TelegramError, kind: type[SendError]
) -> None:
    assert type(send_error(fault, refused_token_seconds=300)) is kind


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [(FloodError(7), 7), (InvalidToken(), 300), (BadRequest("x"), None), (StatusError(502), None)],
    ids=lambda each: repr(each),
)
def test_a_wish_to_wait_is_passed_on(fault: TelegramError, seconds: float | None) -> None:
    error = send_error(fault, refused_token_seconds=300)
    assert getattr(error, "after_seconds", None) == seconds


@pytest.mark.parametrize("fault", [fault for fault, _ in [*NETWORK, *ANSWERS]], ids=repr)
def test_no_words_of_the_network_reach_the_owner(fault: TelegramError) -> None:
    said = describe(fault)
    assert said
    assert "canary" not in said
    assert "\n" not in said


def test_what_telegram_quotes_of_a_message_is_left_out() -> None:
    said = describe(BadRequest('Can\'t parse entities: unsupported start tag "canary" at 5'))
    assert said == "Telegram says: Can't parse entities: unsupported start tag … at 5"


def test_a_refused_token_names_the_variable_to_check() -> None:
    assert "GAIA_TELEGRAM_BOT_TOKEN" in describe(InvalidToken())
