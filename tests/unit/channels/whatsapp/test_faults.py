from __future__ import annotations

import httpx
import pytest
from twilio.base.exceptions import TwilioException

from channels.whatsapp.errors import (
    Blame,
    FloodError,
    OddAnswerError,
    Refusal,
    RefusedError,
    StatusError,
    blame_of,
    describe,
    failure_of,
    send_error,
)
from gaia.errors import (
    PermanentSendError,
    RetryableSendError,
    SendError,
    UnknownSendError,
    UnreachableError,
)

SECRET_URL = "https://api.twilio.com/2010-04-01/Accounts/ACcanary/Messages.json?To=canary"
NOT_SENT = RetryableSendError

NETWORK: list[tuple[Refusal, type[SendError]]] = [
    (httpx.ConnectError(SECRET_URL), NOT_SENT),
    (httpx.ConnectTimeout(SECRET_URL), NOT_SENT),
    (httpx.PoolTimeout(SECRET_URL), NOT_SENT),
    (httpx.ProxyError(SECRET_URL), NOT_SENT),
    (httpx.ReadTimeout(SECRET_URL), UnknownSendError),
    (httpx.WriteTimeout(SECRET_URL), UnknownSendError),
    (httpx.ReadError(SECRET_URL), UnknownSendError),
    (httpx.WriteError(SECRET_URL), UnknownSendError),
    (httpx.RemoteProtocolError(SECRET_URL), UnknownSendError),
    (TwilioException(SECRET_URL), UnknownSendError),
    (OddAnswerError(SECRET_URL), UnknownSendError),
]
ANSWERS: list[tuple[Refusal, type[SendError]]] = [
    (FloodError(7), NOT_SENT),
    (StatusError(200), UnknownSendError),
    (StatusError(302), NOT_SENT),
    (StatusError(401), NOT_SENT),
    (StatusError(403), NOT_SENT),
    (StatusError(500), UnknownSendError),
    (StatusError(502), NOT_SENT),
    (StatusError(503), NOT_SENT),
    (StatusError(504), UnknownSendError),
    (StatusError(524), UnknownSendError),
    (RefusedError(21211), PermanentSendError),
    (RefusedError(99999), PermanentSendError),
]
CODES: list[tuple[int, type[SendError], float | None]] = [
    (20003, RetryableSendError, 300),
    (20403, RetryableSendError, 300),
    (20429, RetryableSendError, 60),
    (21211, PermanentSendError, None),
    (21212, RetryableSendError, 300),
    (21408, PermanentSendError, None),
    (21606, RetryableSendError, 300),
    (21610, PermanentSendError, None),
    (21614, PermanentSendError, None),
    (21617, PermanentSendError, None),
    (21620, PermanentSendError, None),
    (21655, UnreachableError, None),
    (21656, UnreachableError, None),
    (30008, RetryableSendError, 60),
    (63003, PermanentSendError, None),
    (63007, RetryableSendError, 300),
    (63012, RetryableSendError, 60),
    (63013, PermanentSendError, None),
    (63014, PermanentSendError, None),
    (63015, UnreachableError, None),
    (63016, UnreachableError, None),
    (63018, RetryableSendError, 60),
    (63019, PermanentSendError, None),
    (63024, PermanentSendError, None),
    (63027, UnreachableError, None),
    (63038, RetryableSendError, 3600),
    (63041, UnreachableError, None),
    (63049, UnreachableError, None),
    (63051, RetryableSendError, 3600),
]


@pytest.mark.parametrize(("fault", "kind"), [*NETWORK, *ANSWERS], ids=lambda each: repr(each))
def test_a_fault_tells_what_became_of_the_message(fault: Refusal, kind: type[SendError]) -> None:
    assert type(send_error(fault)) is kind


@pytest.mark.parametrize(("code", "kind", "seconds"), CODES)
def test_a_code_means_the_same_at_once_and_in_a_status_callback(
    code: int, kind: type[SendError], seconds: float | None
) -> None:
    for error in (send_error(RefusedError(code)), failure_of(code)):
        assert type(error) is kind
        assert getattr(error, "after_seconds", None) == seconds
        assert str(code) in str(error)


def test_a_failure_without_a_cause_is_tried_again() -> None:
    assert type(failure_of(None)) is RetryableSendError


def test_only_what_says_that_they_may_not_be_written_to_loses_the_contact() -> None:
    lost = [code for code, kind, _ in CODES if getattr(failure_of(code), "contact_lost", False)]
    assert lost == [63015, 63016]
    assert not any(getattr(failure_of(code), "asked", False) for code, _, _ in CODES)


def test_a_wish_to_wait_is_passed_on() -> None:
    error = send_error(FloodError(7))
    assert isinstance(error, RetryableSendError)
    assert error.after_seconds == 7


@pytest.mark.parametrize(
    ("code", "blame"),
    [
        (20003, Blame.CREDENTIALS),
        (30002, Blame.ACCOUNT),
        (63007, Blame.NUMBER),
        (63041, Blame.TEMPLATE),
        (63003, None),
        (99999, None),
        (None, None),
    ],
)
def test_what_only_the_owner_can_mend_is_told_apart(code: int | None, blame: Blame | None) -> None:
    assert blame_of(code) is blame


@pytest.mark.parametrize("fault", [fault for fault, _ in [*NETWORK, *ANSWERS]], ids=repr)
def test_no_words_of_the_network_reach_the_owner(fault: Refusal) -> None:
    said = describe(fault)
    assert said
    assert "canary" not in said
    assert "\n" not in said


def test_refused_credentials_name_the_variables_to_check() -> None:
    for refusal in (RefusedError(20003), StatusError(401)):
        assert "GAIA_TWILIO_ACCOUNT_SID and GAIA_TWILIO_AUTH_TOKEN" in describe(refusal)


def test_an_unknown_code_says_where_it_is_explained() -> None:
    assert "twilio.com/docs/api/errors/99999" in describe(RefusedError(99999))
