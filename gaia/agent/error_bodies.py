"""Errors that come where an answer should, with a status that says that all is well."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus

import httpx

REFUSALS = {
    "invalid_request_error": HTTPStatus.BAD_REQUEST,
    "authentication_error": HTTPStatus.UNAUTHORIZED,
    "billing_error": HTTPStatus.PAYMENT_REQUIRED,
    "permission_error": HTTPStatus.FORBIDDEN,
    "not_found_error": HTTPStatus.NOT_FOUND,
    "request_too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}
"""Types of errors that asking again does not mend."""


class WebPageError(Exception):
    """A web page came where an answer should."""


async def read_status(response: httpx.Response) -> None:
    """Give an error its status, as a hook of an HTTP client: many hosts send one with 200.

    Raises:
        WebPageError: It is a web page.
    """
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


def status_of(error: object) -> int:
    """The status that an error within an answer stands for; 500 if it tells of none."""
    told = error if isinstance(error, Mapping) else {}
    code = str(told.get("code") or told.get("status") or "")
    if code.isdigit() and HTTPStatus.BAD_REQUEST <= int(code) < 600:
        return int(code)
    return REFUSALS.get(str(told.get("type")), HTTPStatus.INTERNAL_SERVER_ERROR)
