"""Whether a request is Twilio's: signed with our token, for our public address.

The address is the configured one: what a proxy, or whoever calls, writes into `Host` or
`X-Forwarded-*` is not believed. A form is signed with its values; of any other body the
address carries the hash, as `bodySHA256`. Whatever cannot be verified is refused.
"""

from __future__ import annotations

import hmac
import re
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

from twilio.request_validator import (
    HMAC_SHA1,
    RequestValidator,
    get_signature_algorithm,
)

from channels.whatsapp.forms import Params, read_form, read_json
from channels.whatsapp.names import CHANNEL
from gaia.errors import UnsignedError
from gaia.messages import HookRequest

HEADER = "x-twilio-signature"
SETTINGS_HEADER = "x-twilio-webhooks-signature-settings"
FORM = "application/x-www-form-urlencoded"
BODY_HASH = "bodySHA256"

_NAME = re.compile(r"[A-Za-z_]")
_USUAL_PORTS = {"http": 80, "https": 443}


class Signatures:
    """Signs and verifies what is for the addresses below `public_url`."""

    def __init__(self, auth_token: str, public_url: str) -> None:
        self._validator = RequestValidator(auth_token)
        self._hooks = f"{public_url.rstrip('/')}/hooks/{CHANNEL}"
        self._ways_to_write_it = _without_and_with_port(self._hooks)

    def address(self, path: str) -> str:
        """The public address of a path below `/hooks/whatsapp`."""
        return self._hooks + _below(path)

    def sign(self, url: str, params: Params | None = None) -> str:
        """Twilio's signature of a request to `url`, of a form with those values."""
        signature: str = self._validator.compute_signature(url, params or Params())
        return signature

    def verified(self, request: HookRequest) -> Params:
        """The values of a request that Twilio signed.

        Raises `UnsignedError` for any other.
        """
        shown = request.headers.get(HEADER, "")
        if not shown:
            raise UnsignedError("it is not signed")
        algorithm = get_signature_algorithm(request.headers.get(SETTINGS_HEADER))
        if algorithm.upper() != HMAC_SHA1:
            raise UnsignedError(
                "it is signed with another key than the account's auth token: switch shared "
                "keys for webhooks off in Twilio's console"
            )
        is_form = _is_form(request)
        try:
            params = read_form(request.body) if is_form else Params()
        except ValueError as exc:
            raise UnsignedError("its body is no form that can be read") from exc
        _check_names(params)
        _check_hash(request, is_needed=not is_form)
        if not self._is_signature(shown, request, params):
            raise UnsignedError(
                f"its signature is another one: unless it is a stranger's, Twilio calls another "
                f"address than {self._hooks}, or the auth token is an old one"
            )
        return params if is_form else _read_verified(request.body)

    def _is_signature(self, shown: str, request: HookRequest, params: Params) -> bool:
        rest = _below(request.path) + (f"?{request.query}" if request.query else "")
        is_found = False
        for hooks in self._ways_to_write_it:
            expected = self.sign(hooks + rest, params)
            is_found |= hmac.compare_digest(_bytes(shown), _bytes(expected))
        return is_found


def _is_form(request: HookRequest) -> bool:
    """Whether the body is signed as a form: it is one, or there is none."""
    stated = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return stated == FORM or not request.body


def _check_names(params: Params) -> None:
    """Twilio's rule joins the address and the form without anything between them: what
    was signed for `status/12` is right for `status/1` and a value named `2` as well."""
    if not all(_NAME.match(name) for name in params):
        raise UnsignedError("its form has a name that may be a part of its address")


def _check_hash(request: HookRequest, *, is_needed: bool) -> None:
    hashes = parse_qs(request.query, keep_blank_values=True).get(BODY_HASH, [])
    if not hashes and is_needed:
        raise UnsignedError(f"its body is no form, and its address has no {BODY_HASH}")
    actual = sha256(request.body).hexdigest()
    if not all(hmac.compare_digest(_bytes(each), _bytes(actual)) for each in hashes):
        raise UnsignedError(f"its body has another hash than its {BODY_HASH}")


def _read_verified(body: bytes) -> Params:
    """The values of a body that Twilio vouches for: none, where it is not JSON."""
    try:
        return read_json(body)
    except ValueError:
        return Params()


def _below(path: str) -> str:
    return f"/{path}" if path else ""


def _without_and_with_port(url: str) -> tuple[str, str]:
    """Twilio signs an address now with its port and now without."""
    parts = urlsplit(url)
    host = parts.netloc
    if parts.port is not None:
        host = host.removesuffix(f":{parts.port}")
    port = parts.port or _USUAL_PORTS[parts.scheme]
    return f"{parts.scheme}://{host}{parts.path}", f"{parts.scheme}://{host}:{port}{parts.path}"


def _bytes(text: str) -> bytes:
    """`text` for a comparison in constant time, which takes other text in ASCII only."""
    return text.encode("utf-8", "surrogatepass")
