"""Which texts are taken out of a line, and which stay."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
from datetime import UTC, datetime
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.logs import REDACTED, RedactingFormatter, Redaction, turn_in_log
from gaia.logs.line import Line, as_json, as_text, continued, parse

redact = Redaction((), numbers=True)
KEYS = "Aa0" * 12
AT = datetime(2026, 11, 28, 17, 3, 2, 125_000, tzinfo=UTC)
HARD = [
    Line(AT, "INFO", "gaia.x", None, "hello"),
    Line(AT, "WARNING", "gaia.core.handler", "3f2a9c", "two\nlines\n  and more"),
    Line(AT, "ERROR", "gaia", "3f2a9c", "failed", "Traceback (most recent call last):\n  at\nX: y"),
    Line(AT, "INFO", "gaia", None, "[t1] gaia: forged\n2026-11-28 17:03:02.125Z ERROR gaia: no"),
    Line(AT, "CRITICAL", "py.warnings", None, '{"time": "no"}\n{"time": "no"}'),
    Line(AT, "DEBUG", "gaia", None, ""),
]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("key sk-abcdefghijklmnopqrstuv end", f"key {REDACTED} end"),
        ("key sk-ant-api03-abcdefghijklmnop_-q end", f"key {REDACTED} end"),
        ("AIza" + "x" * 35, REDACTED),
        ("bot123456789:" + "A" * 35 + "/getUpdates", f"bot{REDACTED}/getUpdates"),
        ("of AC" + "0a" * 16 + ".", f"of {REDACTED}."),
        ("age AGE-SECRET-KEY-1" + "Q" * 58, f"age {REDACTED}"),
        ("ghp_" + KEYS, REDACTED),
        (f"eyJ{KEYS}.eyJ{KEYS}.{KEYS}", REDACTED),
        ("-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nx", f"{REDACTED}\nx"),
        ("Authorization: Bearer abc.def+ghi/jkl~mno", f"Authorization: Bearer {REDACTED}"),
        ("authorization: Basic QUM6c2VjcmV0", f"authorization: Basic {REDACTED}"),
        ("X-Twilio-Signature: abc/def+ghi=", f"X-Twilio-Signature: {REDACTED}"),
        ("GET /v1/models?key=hush&alt=sse", f"GET /v1/models?key={REDACTED}&alt=sse"),
        ("postgres://ada:pass@host/db", f"postgres://{REDACTED}@host/db"),
        ("OPENAI_API_KEY=hushhush rest", f"OPENAI_API_KEY={REDACTED} rest"),
        ("export GAIA_BACKUP_PASSPHRASE='two words'", "export GAIA_BACKUP_PASSPHRASE='[redacted]'"),
        ("Client(api_key='abc', retries=2)", f"Client(api_key='{REDACTED}', retries=2)"),
        ("{'x-api-key': 'abc', 'a': 'b'}", f"{{'x-api-key': '{REDACTED}', 'a': 'b'}}"),
        ("(b'authorization', b'abc')", f"(b'authorization', b'{REDACTED}')"),
        ('{"password": "a\\"b", "x": 1}', f'{{"password": "{REDACTED}", "x": 1}}'),
        (r"{\"token\": \"abc\", \"y\": 2}", rf"{{\"token\": \"{REDACTED}\", \"y\": 2}}"),
        ("whatsapp:+4915112345678 wrote", f"whatsapp:{REDACTED} wrote"),
        ("To=whatsapp%3A%2B4915112345678&x=1", f"To=whatsapp%3A{REDACTED}&x=1"),
        ("WaId=4915112345678", f"WaId={REDACTED}"),
        ("from +14155238886.", f"from {REDACTED}."),
        ("from +49 151 1234567, twice", f"from {REDACTED}, twice"),
        ("from +1 (415) 523-8886", f"from {REDACTED}"),
    ],
)
def test_what_looks_like_a_secret_or_a_number_is_redacted(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "a task is risk-averse at 12:00",
        "the bearer of bad news, the basic knowledge",
        "max_tokens=1000000 tokens_in=1234567",
        "set GAIA_BACKUP_PASSPHRASE in .env",
        "SM" + "0a" * 16,
        "2026-11-28T18:17:03+0100, 2026-11-28 18:17:03.123+01:00, 20261128T181703Z",
        "gaia 1.2.3+20261128, at +100.123456 s, 4+4915112345678",
        "chat -1001234567890 of user 1234567890 in https://example.org/a@b?x=1#y",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_numbers_stay_where_they_are_to_be_read() -> None:
    assert Redaction(())("from +14155238886") == "from +14155238886"


def test_a_value_too_short_for_a_secret_redacts_no_words() -> None:
    assert Redaction(("x", ""))("x marks the text") == "x marks the text"


texts = st.text(st.characters(codec="utf-8"), max_size=60)


@given(texts, st.text(st.characters(codec="utf-8", min_codepoint=33), min_size=6), texts)
def test_a_known_secret_is_found_in_whatever_form_it_is_written(
    before: str, secret: str, after: str
) -> None:
    redact = Redaction((secret,))
    assert secret not in redact(f"{before} {secret} {after}").replace(REDACTED, "")
    for form in (quote(secret), quote_plus(secret), json.dumps(secret)[1:-1], repr(secret)[1:-1]):
        assert redact(f"<{form}>") == f"<{REDACTED}>"


@given(
    st.from_regex(r"\A[1-9][0-9]{6,14}\Z"),
    st.sampled_from(["{}", "to {}, twice", '{{"To": "{}"}}', "To={}&x=1", "('{}',)", "\t{}\n"]),
    st.sampled_from(["+", "whatsapp:+", "whatsapp:"]),
)
def test_a_number_is_found_wherever_it_stands(digits: str, around: str, prefix: str) -> None:
    assert digits not in redact(around.format(prefix + digits))


words = st.one_of(
    st.uuids().map(str),
    st.uuids().map(lambda each: each.hex),
    st.integers().map(str),
    st.floats(allow_nan=False).map(str),
    st.datetimes().map(str),
    st.datetimes(timezones=st.timezones()).map(lambda at: at.isoformat()),
    st.times().map(str),
    st.from_regex(r"\A[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,8})?([ab+][0-9]{1,8})?\Z"),
    st.ip_addresses().map(str),
)


@given(st.lists(words, max_size=8).map(" ".join))
def test_ids_times_hashes_and_versions_stay(text: str) -> None:
    assert redact(text) == text


@given(st.text(st.sampled_from("aA0+/=_-.:'\"\\ &?{}[],\n@")) | texts)
def test_what_was_redacted_once_stays_as_it_is(text: str) -> None:
    for line in (text, f"api_key={text}", f'"token": "{text}"', f"https://{text}"):
        once = redact(line)
        assert redact(once) == once


def test_a_long_line_costs_little() -> None:
    for piece in ("-", "a-", "+1 ", "token=", '"token": "', "://", "eyJ", "key", "b'", "\\"):
        assert re.search("x", redact(piece * 20_000) + "x")


def record(message: str, *args: object, exc: bool = False) -> logging.LogRecord:
    return logging.LogRecord(
        "gaia.x", logging.INFO, __file__, 1, message, args, sys.exc_info() if exc else None
    )


def line(message: str, *args: object, secrets: tuple[str, ...] = (), exc: bool = False) -> str:
    return RedactingFormatter(secrets).format(record(message, *args, exc=exc))


def read(text: str) -> Line:
    first, *more = text.split("\n")
    parsed = parse(first)
    assert parsed is not None
    assert all(parse(each) is None for each in more)
    return continued(parsed, more)


def test_known_secrets_are_redacted_the_longer_ones_first() -> None:
    text = line("opensesame-42 opensesame", secrets=("opensesame", "opensesame-42"))
    assert text.endswith(f"gaia.x: {REDACTED} {REDACTED}")


def test_secrets_in_tracebacks_are_redacted() -> None:
    try:
        raise ValueError("asked with opensesame by +4915112345678")
    except ValueError:
        text = line("failed", secrets=("opensesame",), exc=True)
    assert f"ValueError: asked with {REDACTED} by {REDACTED}" in text
    assert "opensesame" not in text


def test_a_secret_that_json_writes_otherwise_is_redacted_too() -> None:
    formatter = RedactingFormatter(('open"sesame\\',), as_json)
    said = json.loads(formatter.format(record("asked with %s", 'open"sesame\\')))
    assert said["message"] == f"asked with {REDACTED}"


def test_lines_carry_the_innermost_turn() -> None:
    assert "[" not in line("before")
    with turn_in_log("t1"):
        assert "[t1] gaia.x: one" in line("one")
        with turn_in_log("t2"):
            assert "[t2] gaia.x: two" in line("two")
        with turn_in_log(None):
            assert "[" not in line("none")
        assert "[t1] gaia.x: one" in line("one")
    assert "[" not in line("after")


async def test_tasks_of_a_turn_carry_it_and_others_do_not() -> None:
    async def said() -> str:
        await asyncio.sleep(0)
        return line("hello")

    outside = asyncio.create_task(said())
    with turn_in_log("t1"):
        inside = asyncio.create_task(said())
    assert "[t1]" in await inside
    assert "[t1]" not in await outside


def test_json_has_all_keys_and_utc() -> None:
    assert json.loads(as_json(Line(AT, "INFO", "gaia.x", None, "hello"))) == {
        "time": "2026-11-28T17:03:02.125Z",
        "level": "INFO",
        "logger": "gaia.x",
        "turn": None,
        "message": "hello",
        "exception": None,
    }


@pytest.mark.parametrize("original", HARD)
def test_both_forms_are_read_as_they_were_written(original: Line) -> None:
    assert read(as_text(original)) == original
    assert read(as_json(original)) == original


def test_no_message_makes_a_line_of_its_own() -> None:
    text = as_text(Line(AT, "INFO", "gaia", None, f"x\n{as_text(HARD[0])}\r{as_json(HARD[0])}"))
    first, *more = text.split("\n")
    assert parse(first) is not None
    assert [parse(each) for each in more] == [None]
    assert "\r" not in text


def test_what_a_terminal_would_obey_is_spelt_out() -> None:
    assert as_text(Line(AT, "INFO", "gaia", None, "\x1b[2J\x9b\ttab")).endswith(
        "\\x1b[2J\\x9b\ttab"
    )
    for control in "\x1b\x85\u2028\u2029":
        assert control not in as_json(Line(AT, "INFO", "gaia", None, control))
