"""Twilio's requests: whether they are signed, and what they hold as named values.

The body is a form, or a JSON object. It is signed with our token, for our public address:
the configured one. What a proxy, or whoever calls, writes into `Host` or `X-Forwarded-*`
is not believed. A form is signed with its values; of any other body the address carries
the hash, as `bodySHA256`. Whatever cannot be verified is refused.

Twilio writes `whatsapp:` before whoever is on WhatsApp; gaia leaves it out. It is followed
by a phone number, or by the opaque id of somebody who shows none.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Self
from urllib.parse import parse_qs, parse_qsl, urlsplit

from twilio.request_validator import (
    HMAC_SHA1,
    RequestValidator,
    get_signature_algorithm,
)

from channels.base.intake import LONGEST_NAME, clean, one_line
from gaia.errors import UnsignedError
from gaia.messages import HookRequest

CHANNEL = "whatsapp"

_PREFIX = "whatsapp:"
_PERSON = re.compile(r"\+?[0-9A-Za-z][0-9A-Za-z._-]{2,159}")
_SID = re.compile(r"[A-Z]{2}[0-9a-fA-F]{32}")

MOST_FIELDS = 400
"""Twilio sends some thirty; a message with ten files and everything else has no hundred."""
LONGEST_FORM_BYTES = 200_000
"""A message of 4,096 characters, the longest on WhatsApp, has 50,000 when each is an
emoji. Longer ones are not read, so that nobody keeps gaia busy with them."""
HEADER = "x-twilio-signature"
SETTINGS_HEADER = "x-twilio-webhooks-signature-settings"
FORM = "application/x-www-form-urlencoded"
BODY_HASH = "bodySHA256"
_NAME = re.compile(r"[A-Za-z_]")
_USUAL_PORTS = {"http": 80, "https": 443}


def person_in(twilio_name: str) -> str | None:
    """Return the sender or chat that Twilio calls so; None if it is nobody on WhatsApp. A number
    has its `+` always, whether it came with one or not."""
    name = twilio_name.removeprefix(_PREFIX)
    if name == twilio_name or _PERSON.fullmatch(name) is None:
        return None
    return f"+{name}" if name.isdecimal() else name


def twilio_name(person: str) -> str:
    """Return what Twilio calls that sender or chat."""
    return _PREFIX + person


def is_person(name: str) -> bool:
    """Whether `person_in` may have made that name."""
    return _PERSON.fullmatch(name) is not None


def is_sid(text: str) -> bool:
    """Whether `text` can be an id of Twilio's, of a message or anything else."""
    return _SID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Params:
    """Named values as they were signed, of which each name may have several.

    `get` and `line` give what can be stored; iterating and `getall` are what Twilio's
    library asks for when it computes a signature.
    """

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Self:
        """Make parameters of names with one value each."""
        return cls({name: (value,) for name, value in values.items()})

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def getall(self, name: str) -> tuple[str, ...]:
        """Return all values of that name, none if there is no such name."""
        return self.values.get(name, ())

    def get(self, name: str) -> str:
        """Return the first value of that name, empty if there is none."""
        return clean(self.values.get(name, ("",))[0])

    def line(self, name: str, longest: int = LONGEST_NAME) -> str:
        """Return the first value of that name in one line, cut behind `longest` characters."""
        return one_line(self.get(name), longest)


def read_form(body: bytes) -> Params:
    """Read the values of a form.

    Raises `ValueError` for one that is not in UTF-8, or is longer or has more fields than
    any of Twilio's.
    """
    if len(body) > LONGEST_FORM_BYTES:
        raise ValueError("too long")
    pairs = parse_qsl(
        body.decode(),
        keep_blank_values=True,
        encoding="utf-8",
        errors="strict",
        max_num_fields=MOST_FIELDS,
    )
    values: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        values[name] = (*values.get(name, ()), value)
    return Params(values)


def read_json(body: bytes) -> Params:
    """Read the values of a JSON object, and of lists in it; what is neither text nor a
    number is left out.

    Raises `ValueError` for what is no object, or has more than `MOST_FIELDS`.
    """
    try:
        fields = json.loads(body)
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc
    if not isinstance(fields, dict) or len(fields) > MOST_FIELDS:
        raise ValueError("not an object, or one of too many fields")
    read = {name: tuple(_scalars(value)) for name, value in fields.items()}
    return Params({name: values for name, values in read.items() if values})


def _scalars(value: object) -> Iterator[str]:
    for each in value[:MOST_FIELDS] if isinstance(value, list) else [value]:
        if isinstance(each, bool):
            yield str(each).lower()
        elif isinstance(each, str | int | float):
            yield str(each)


class Signatures:
    """Signs and verifies what is for the addresses below `public_url`."""

    def __init__(self, auth_token: str, public_url: str) -> None:
        self._validator = RequestValidator(auth_token)
        self._hooks = f"{public_url.rstrip('/')}/hooks/{CHANNEL}"
        self._ways_to_write_it = _without_and_with_port(self._hooks)

    def address(self, path: str) -> str:
        """Return the public address of a path below `/hooks/whatsapp`."""
        return self._hooks + _below(path)

    def sign(self, url: str, params: Params | None = None) -> str:
        """Twilio's signature of a request to `url`, of a form with those values."""
        signature: str = self._validator.compute_signature(url, params or Params())
        return signature

    def verified(self, request: HookRequest) -> Params:
        """Verify that Twilio signed a request, and return its values.

        Raises `UnsignedError` if it did not.
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
    """Return the values of a body that Twilio vouches for: none, where it is not JSON."""
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
