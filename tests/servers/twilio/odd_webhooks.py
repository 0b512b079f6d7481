"""Webhooks as Twilio may send them, and as somebody else might: for a channel that takes
no word of whom it cannot verify, and that no request may stop.

Some are left as they were signed, some come again, and others are changed in one place,
are signed by somebody else, or are no webhooks at all.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from urllib.parse import parse_qsl, urlencode

from tests.servers.twilio.calls import Form, signature

HOOKS = "/hooks/whatsapp"
SIGNED = "x-twilio-signature"
SETTINGS = "x-twilio-webhooks-signature-settings"
FORM = "application/x-www-form-urlencoded"
REMEMBERED = 200

ODD_TEXTS = (
    *("", " ", "/", "/help", "\x00", "👩‍👩‍👧‍👦", "\u202e\u0301\u200b", "true", "-1", "9" * 5000),
    *("a&b=c%2", "+", "ä" * 2000, "whatsapp:", "whatsapp:+1", "\r\nX-A: 1", "https://[", "{}"),
)
NAMES = (
    *("MessageSid", "AccountSid", "From", "To", "Body", "NumMedia", "MediaUrl0", "ProfileName"),
    *("MediaContentType0", "MessageType", "ButtonPayload", "ButtonText", "ListId", "ListTitle"),
    *("Latitude", "Longitude", "Label", "Address", "Forwarded", "OriginalRepliedMessageSid"),
    *("MessageStatus", "ErrorCode", "FlowData", "ReferralBody", "ExternalUserId", "x", "", "ä"),
)
KINDS = ("text", "image", "audio", "video", "document", "sticker", "location", "contacts", "new")
PATHS = ("", "/status/7", "/asked/7", "/check", "/status/0", "/status/x", "/status/7/8", "/nothing")
GARBAGE = (b"", b"\xff\xfe", b"%", b"%FF=%ED%A0%80", b"a" * 3000, b"&" * 500, b"{", b"[" * 9000)


class Origin(Enum):
    """What a request is worth."""

    SOUND = "sound"
    REPEATED = "repeated"
    ODD = "signed, and odd"
    FORGED = "forged"


@dataclass(frozen=True, slots=True)
class OddWebhook:
    """One request. `sid` is that of the message which a sound one tells of."""

    origin: Origin
    path: str
    query: bytes
    body: bytes
    headers: dict[str, str]
    method: str = "POST"
    sid: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """For whom Twilio signs."""

    sid: str
    auth_token: str
    number: str
    public_url: str


class OddWebhooks:
    """An endless, repeatable supply. Each text in them has `canary` in it."""

    def __init__(self, account: Account, seed: int, *, canary: str) -> None:
        self._account = account
        self._random = random.Random(seed)
        self._canary = canary
        self._taken: deque[OddWebhook] = deque(maxlen=REMEMBERED)
        self._count = 0

    def __iter__(self) -> Iterator[OddWebhook]:
        while True:
            yield self._random.choices(
                (self._sound, self._repeated, self._odd, self._forged, self._garbage),
                (3, 2, 2, 8, 2),
            )[0]()

    def _sound(self) -> OddWebhook:
        self._count += 1
        sid = f"SM{self._count:032x}"
        made = self._signed(Origin.SOUND, "", self._message(sid))
        self._taken.append(made)
        return replace(made, sid=sid)

    def _repeated(self) -> OddWebhook:
        if not self._taken:
            return self._sound()
        return replace(self._random.choice(self._taken), origin=Origin.REPEATED)

    def _odd(self) -> OddWebhook:
        """What Twilio signed, and gaia may not understand."""
        form = [*self._message(f"SM{self._random.getrandbits(128):032x}")]
        for _ in range(self._random.randint(1, 4)):
            name = self._random.choice(NAMES)
            form = [each for each in form if each[0] != name or self._random.random() < 0.2]
            form.append((name, self._random.choice(ODD_TEXTS) + self._canary))
        path = self._random.choice(PATHS)
        if self._random.random() < 0.2:
            return self._json(path, form)
        return self._signed(Origin.ODD, path, form)

    def _forged(self) -> OddWebhook:
        """A signed request with one thing changed."""
        path = self._random.choice(PATHS[:3])
        form = self._message(f"SM{self._random.getrandbits(128):032x}")
        if self._random.random() < 0.1:
            signed = self._json(path, form)
            body = signed.body.replace(b": ", b":  ", 1)
            return replace(signed, origin=Origin.FORGED, body=self._random.choice((body, b"")))
        made = self._signed(Origin.FORGED, path, form)
        change = self._random.choice(_CHANGES)
        forged = change(made, self._random)
        if not self.is_signed(forged):
            return forged
        assert change is _other_byte, f"{change.__name__} changes nothing"
        return replace(forged, origin=Origin.ODD)

    def _garbage(self) -> OddWebhook:
        chance = self._random
        body = chance.choice(GARBAGE) + self._canary.encode(chance.choice(("utf-8", "utf-16")))
        if chance.random() < 0.002:
            body *= 200_000
        kinds = (FORM, "application/json", "multipart/form-data", "", "ä", FORM + ";charset=utf-16")
        headers = {"content-type": chance.choice(kinds), "host": chance.choice(("[", "a:b:c", "x"))}
        if chance.random() < 0.7:
            headers[SIGNED] = chance.choice(("", "=", "x" * 5000, "é", "A" * 27 + "="))
        method = chance.choice(("POST", "POST", "GET", "HEAD", "PUT"))
        path = chance.choice((*PATHS, "/media/", "/media/7/1/0/x.pdf", "/../..", "/status/%00"))
        query = chance.choice((b"", b"\xff", b"bodySHA256=", b"bodySHA256=\xff", b"a=%zz&" * 50))
        return OddWebhook(Origin.FORGED, HOOKS + path, query, body, headers, method)

    def _message(self, sid: str) -> Form:
        chance, number = self._random, self._account.number
        kind = chance.choice(KINDS)
        media = f"/2010-04-01/Accounts/{self._account.sid}/Messages/{sid}/Media/ME{'0' * 32}"
        files = kind in ("image", "audio", "video", "document", "sticker", "contacts")
        return [
            ("MessageSid", sid),
            ("AccountSid", self._account.sid),
            ("From", f"whatsapp:+4915{chance.randint(10**7, 10**8)}"),
            ("To", f"whatsapp:{number}"),
            ("Body", f"{self._canary} {chance.choice(ODD_TEXTS)} {chance.getrandbits(40)}"),
            ("ProfileName", f"Ada {self._canary}"),
            ("MessageType", kind),
            *(
                [("NumMedia", "1"), ("MediaUrl0", f"https://api.twilio.com{media}")]
                if files
                else []
            ),
            ("ApiVersion", "2010-04-01"),
        ]

    def _signed(self, origin: Origin, path: str, form: Form) -> OddWebhook:
        shown = signature(self._account.auth_token, self._address(path), form)
        headers = {"content-type": FORM, SIGNED: shown, "host": "127.0.0.1:8642"}
        return OddWebhook(origin, HOOKS + path, b"", urlencode(form).encode(), headers)

    def _json(self, path: str, form: Form) -> OddWebhook:
        body = json.dumps(dict(form)).encode()
        query = f"bodySHA256={hashlib.sha256(body).hexdigest()}"
        shown = signature(self._account.auth_token, f"{self._address(path)}?{query}")
        headers = {"content-type": "application/json", SIGNED: shown}
        return OddWebhook(Origin.ODD, HOOKS + path, query.encode(), body, headers)

    def _address(self, path: str) -> str:
        return f"{self._account.public_url}{HOOKS}{path}"

    def is_signed(self, made: OddWebhook) -> bool:
        """Whether a form is what its signature says, by the rule that Twilio documents."""
        if made.headers.get("content-type") != FORM or made.headers.get(SETTINGS):
            return False
        try:
            form = parse_qsl(made.body.decode(), keep_blank_values=True, errors="strict")
        except ValueError:
            return False
        query = f"?{made.query.decode()}" if made.query else ""
        url = self._address(made.path.removeprefix(HOOKS)) + query
        return signature(self._account.auth_token, url, form) == made.headers.get(SIGNED)


def _without_signature(made: OddWebhook, chance: random.Random) -> OddWebhook:
    return replace(
        made, headers={name: made.headers[name] for name in made.headers if name != SIGNED}
    )


def _other_signature(made: OddWebhook, chance: random.Random) -> OddWebhook:
    shown = list(made.headers[SIGNED])
    place = chance.randrange(26)
    shown[place] = "A" if shown[place] != "A" else "B"
    return replace(made, headers=made.headers | {SIGNED: "".join(shown)})


def _other_token(made: OddWebhook, chance: random.Random) -> OddWebhook:
    form = parse_qsl(made.body.decode(), keep_blank_values=True)
    shown = signature(f"{chance.getrandbits(128):032x}", f"http://127.0.0.1:8642{made.path}", form)
    return replace(made, headers=made.headers | {SIGNED: shown})


def _more(made: OddWebhook, chance: random.Random) -> OddWebhook:
    more = chance.choice((b"&Body=more", b"&x=y", b"x", b"%FF", b"%00"))
    return replace(made, body=made.body + more)


def _less(made: OddWebhook, chance: random.Random) -> OddWebhook:
    return replace(made, body=made.body[: -chance.randint(1, len(made.body))])


def _other_byte(made: OddWebhook, chance: random.Random) -> OddWebhook:
    """Which may come to the same: there are two ways to write most of them."""
    body = bytearray(made.body)
    body[chance.randrange(len(body))] = chance.randrange(256)
    return replace(made, body=bytes(body))


def _elsewhere(made: OddWebhook, chance: random.Random) -> OddWebhook:
    others = [HOOKS + path for path in PATHS if HOOKS + path != made.path]
    return replace(made, path=chance.choice(others))


def _queried(made: OddWebhook, chance: random.Random) -> OddWebhook:
    return replace(made, query=chance.choice((b"a=1", b"?", b"bodySHA256=0")))


def _as_json(made: OddWebhook, chance: random.Random) -> OddWebhook:
    return replace(made, headers=made.headers | {"content-type": "application/json"})


def _with_shared_key(made: OddWebhook, chance: random.Random) -> OddWebhook:
    return replace(made, headers=made.headers | {SETTINGS: "key=x,algorithm=HMAC_SHA256"})


_CHANGES = (
    *(_without_signature, _other_signature, _other_token, _more, _less, _other_byte, _elsewhere),
    *(_queried, _as_json, _with_shared_key),
)
