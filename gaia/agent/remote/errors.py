"""How the clients of remote models fail: the errors of their SDKs, of the network, and those
that come where an answer should, with a status that says that all is well."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import httpx

from gaia.agent.faults import GARBLED, Fault, http_fault, one_line
from gaia.agent.refusals import refusal_of
from gaia.agent.remote.body_bound import bound_body
from gaia.errors import ModelRejectedError, ModelUnreachableError
from gaia.settings.providers import KEYS, ModelProvider

REFUSALS = {
    "invalid_request_error": HTTPStatus.BAD_REQUEST,
    "authentication_error": HTTPStatus.UNAUTHORIZED,
    "billing_error": HTTPStatus.PAYMENT_REQUIRED,
    "permission_error": HTTPStatus.FORBIDDEN,
    "not_found_error": HTTPStatus.NOT_FOUND,
    "request_too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}
"""Types of errors that asking again does not mend."""
WEB_PAGE = Fault(
    "it answered with a web page",
    passing=False,
    remedy="this is no model API: check model.base_url",
    error=ModelRejectedError,
)


class WebPageError(Exception):
    """A web page came where an answer should."""


class HostError(Exception):
    """A host answered with an error, or with one within its answer: its `body`."""

    def __init__(self, response: httpx.Response, body: object) -> None:
        self.response, self.body, self.status_code = response, body, response.status_code
        self.message = body if isinstance(body, str) else json.dumps(body)
        super().__init__(self.message)


class HostErrors:
    """The errors of a host that is asked without an SDK, by the names that SDKs have for them."""

    APIError = APIStatusError = HostError
    APIConnectionError = WebPageError


async def read_status(response: httpx.Response) -> None:
    """Give an error its status, as a hook of an HTTP client: many hosts send one with 200.
    Whoever reads the answer from here on reads a bounded piece of it.

    Raises:
        WebPageError: It is a web page.
        EndlessAnswerError: It has no end.
    """
    bound_body(response)
    kind = response.headers.get("content-type", "")
    if not response.is_success:
        return
    if "html" in kind:
        raise WebPageError(str(response.url))
    if "json" in kind:
        body: object = None
        with suppress(ValueError):
            body = json.loads(await response.aread())
        if isinstance(body, Mapping) and (error := body.get("error")):
            response.status_code = status_of(error)


async def refuse_errors(response: httpx.Response) -> None:
    """Raise what is an error, or leads nowhere, as the hook after `read_status`.

    Raises:
        HostError: The host answered with an error.
    """
    if not response.is_success and not response.has_redirect_location:
        body: object = (await response.aread()).decode(errors="replace")
        with suppress(ValueError):
            body = response.json()
        raise HostError(response, body)


def status_of(error: object) -> int:
    """The status that an error within an answer stands for; 500 if it tells of none."""
    told = error if isinstance(error, Mapping) else {}
    code = str(told.get("code") or told.get("status") or "")
    if code.isdigit() and HTTPStatus.BAD_REQUEST <= int(code) < 600:
        return int(code)
    return REFUSALS.get(str(told.get("type")), HTTPStatus.INTERNAL_SERVER_ERROR)


def sdk_reader(
    provider: ModelProvider,
    sdk: Any,
    http_error: type[Exception],
    needed: Collection[str] = (),
) -> Callable[[Exception, datetime], Fault]:
    """How the SDKs of OpenAI and Anthropic fail, which one generator makes, and hosts that
    are asked without (`HostErrors`). `http_error` is
    the root of their HTTP client's errors; `needed` are fields that the protocol wants."""

    def read(error: Any, now: datetime) -> Fault:
        if isinstance(error, http_error):
            return network_fault(error)
        if isinstance(error, sdk.APIConnectionError):
            return network_fault(error.__cause__ or error)
        if isinstance(error, sdk.APIStatusError):
            response, told = error.response, _told(error.body)
            is_within_answer = response.is_success
            status = status_of(told) if is_within_answer else error.status_code
            text = json.dumps(error.body) if is_within_answer else response.text
            sent, headers = response.request.content, response.headers
        elif type(error) is sdk.APIError:
            told, status, text = _told(error.body), status_of(error.body), error.message
            sent, headers = b"", {}
        else:
            return GARBLED
        message = told.get("message")
        own = message if isinstance(message, str) else error.message
        refusal = refusal_of(status, text, sent, needed)
        return http_fault(refusal, own, headers, now, key=KEYS[provider])

    return read


def _told(body: object) -> Mapping[str, object]:
    """The error of a body; OpenAI's SDK has it out already."""
    body = body if isinstance(body, Mapping) else {}
    inner = body.get("error")
    return inner if isinstance(inner, Mapping) else body


def network_fault(error: Any) -> Fault:
    """Read a connection that could not be made, broke, or leads to something else."""
    if isinstance(error, WebPageError):
        return WEB_PAGE
    host = ""
    with suppress(AttributeError, RuntimeError):  # Some errors know of no request.
        host = urlsplit(str(error.request.url)).netloc.rpartition("@")[2]
    cause = one_line(f"{type(error).__name__}: {error}")
    if not _is_refused(error):
        return Fault(cause, passing=True)
    return Fault(
        f"nothing answers at {host}",
        passing=False,
        remedy=f"start what runs at {host}, or check model.base_url",
        error=ModelUnreachableError,
    )


def _is_refused(error: BaseException | None) -> bool:
    """Whether a port was closed, on all addresses of a host."""
    while error is not None:
        if isinstance(error, BaseExceptionGroup):
            return all(map(_is_refused, error.exceptions))
        if isinstance(error, ConnectionRefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False
