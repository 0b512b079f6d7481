"""Takes out of a text what nobody may read in a log: secrets, known ones and what looks
like one, and telephone numbers.

A shape is matched by what stands around the secret, or by its own form, never by its
likeliness: ids, times, hashes and versions stay as they are.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from urllib.parse import quote, quote_plus

from gaia.logs.line import Line, as_text
from gaia.settings.secrets import OF_ONE_FORM

REDACTED = "[redacted]"

SHORTEST_SECRET = 6
"""Shorter values, such as the placeholder key of a local server, would redact ordinary words."""

_NAME = (
    r"(?:api[_-]?key|access[_-]?key|private[_-]?key|token|secret|password|passwd|passphrase"
    r"|credentials)"
)
_QUOTED_NAME = rf"(?:{_NAME}|[_-]key|authorization|signature|account_?sid|waid)"
_NOT_YET = r"(?!\[redacted)"

BEHIND_A_NAME = re.compile(
    # A header or a URL.
    r"((?i:\bbearer )|[?&](?i:key|signature)=)[A-Za-z0-9._~+/%=-]{4,}"
    r"|((?i:(?:\bauthorization|api[_-]?key|[_-](?:signature|token|key)): +(?:basic |bearer )?+))"
    rf"{_NOT_YET}[^\s'\",;]{{6,}}"
    # NAME=value, as in .env, and as programs print their arguments.
    rf"|((?:(?i:{_NAME})|_KEY|_SID)=)"
    rf"(?:b?\"(?:[^\"\\\n]|\\.)+\"|b?'(?:[^'\\\n]|\\.)+'|{_NOT_YET}[^\s'\",;&)\]}}]{{6,}})"
    # "name": "value", ('name', 'value') and b'name': b'value', escaped or not.
    rf"|((?i:{_QUOTED_NAME}\\?[\"'])\s*[:,]\s*)"
    r"(?:b?\"(?:[^\"\\\n]|\\.)+\"?|b?'(?:[^'\\\n]|\\.)+'?|\\(?P<mark>[\"'])(?:(?!\\(?P=mark)).)+)"
)
"""What a header, a URL, a line of `.env` or a structure calls a secret."""

QUOTED = re.compile(r"(\\?b?[\"'])[\s\S]+?([\"']?)")

IN_AN_ADDRESS = re.compile(r"(?<=://)[^\s/?#@\"'<>\\]+(?=@)")
"""User and password in a URL."""

NUMBERS = re.compile(
    r"(?<=whatsapp:)\+?\d{6,15}"
    r"|(?<![\w.])\+[1-9]\d{6,14}(?!\d)"
    r"|(?<![\w.])\+[1-9]\d{0,2}[ -]?\(?\d{1,4}\)?(?:[ -]\d{2,8}){1,4}(?!\d)"
    r"|(?i:%2B)[1-9]\d{6,14}(?!\d)"
    r"|(?<=\bWaId=)\d{6,15}"
)
"""Telephone numbers in the international form, together or in groups, also in URLs, and
those that WhatsApp gives without a plus."""

_turn_id: ContextVar[str | None] = ContextVar("turn_id", default=None)


class Redaction:
    """Takes known secrets, and what looks like one, out of a text; telephone numbers as
    well if `numbers` says so."""

    def __init__(self, secrets: Iterable[str], *, numbers: bool = False) -> None:
        forms = {form for secret in secrets for form in _forms(secret)}
        known = sorted(
            (form for form in forms if len(form) >= SHORTEST_SECRET), key=len, reverse=True
        )
        self._known = re.compile("|".join(map(re.escape, known))) if known else None
        self._numbers = numbers

    def __call__(self, text: str) -> str:
        if self._known is not None:
            text = self._known.sub(REDACTED, text)
        text = IN_AN_ADDRESS.sub(REDACTED, text)
        text = BEHIND_A_NAME.sub(_keep_name, text)
        text = OF_ONE_FORM.sub(REDACTED, text)
        return NUMBERS.sub(REDACTED, text) if self._numbers else text


def _keep_name(found: re.Match[str]) -> str:
    name: str = next(filter(None, found.groups()))
    value = found[0][len(name) :]
    quoted = QUOTED.fullmatch(value)
    return name + (f"{quoted[1]}{REDACTED}{quoted[2]}" if quoted else REDACTED)


def _forms(secret: str) -> Iterator[str]:
    """A secret as it is, and as URLs, JSON and Python write it."""
    yield secret
    yield quote(secret)
    yield quote_plus(secret)
    yield json.dumps(secret)[1:-1]
    yield repr(secret)[1:-1]


class RedactingFormatter(logging.Formatter):
    """Formats a line, traceback and all. Secrets are taken out of what was said before it
    gets its form, in which they would look different."""

    def __init__(self, secrets: Iterable[str], write: Callable[[Line], str] = as_text) -> None:
        super().__init__()
        self._redact = Redaction(secrets, numbers=True)
        self._write = write

    def format(self, record: logging.LogRecord) -> str:
        return self._write(self._line(record))

    def _line(self, record: logging.LogRecord) -> Line:
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        below = [text for text in (record.exc_text, record.stack_info) if text]
        return Line(
            at=datetime.fromtimestamp(record.created, UTC),
            level=record.levelname,
            logger=record.name,
            turn=present_turn(),
            message=self._redact(record.getMessage()),
            exception=self._redact("\n".join(below)) if below else None,
        )


@contextmanager
def turn_in_log(turn_id: str | None) -> Iterator[None]:
    """Stamp the log lines written within the block, and by its tasks, with the turn's id."""
    token = _turn_id.set(turn_id)
    try:
        yield
    finally:
        _turn_id.reset(token)


def present_turn() -> str | None:
    """The turn that this task works for."""
    return _turn_id.get()
