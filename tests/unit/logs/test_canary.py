"""A canary in each secret, and errors of all kinds: none of it is in the file or on standard
error, in either form."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import create_engine, text

from gaia import logs
from gaia.settings.schema import LoggingSettings, Secrets

logger = logging.getLogger("gaia")

CANARIES = {name: f"bird+{name}/of'the\"mine" for name in Secrets.model_fields}
NUMBER = "+4915112345678"
WORDS = " and ".join([*CANARIES.values(), NUMBER])


def say_it() -> None:
    logger.info("asked with %s", WORDS)
    logger.info("asked with %r and %s", WORDS, {"header": WORDS})
    logger.warning("asked with %s", json.dumps([WORDS]))


def raise_in_a_chain() -> None:
    try:
        try:
            raise KeyError(WORDS)
        except KeyError as exc:
            raise RuntimeError(f"no {WORDS}") from exc
    except RuntimeError:
        logger.exception("failed with %s", WORDS)


def raise_in_a_group() -> None:
    try:
        raise ExceptionGroup(WORDS, [ValueError(WORDS), OSError(2, WORDS, WORDS)])
    except ExceptionGroup:
        logger.exception("failed")


def ask_nobody() -> None:
    for canary in CANARIES.values():
        url = httpx.URL("http://127.0.0.1:9/", params={"To": f"whatsapp:{NUMBER}", "key": canary})
        try:
            httpx.get(url, auth=("AC" + "0a" * 16, canary), headers={"x-api-key": canary})
        except httpx.HTTPError as exc:
            logger.error("%s %r", exc.request.url, exc.request.headers, exc_info=True)


def break_a_statement() -> None:
    engine = create_engine("sqlite://")
    # One at a time: SQLAlchemy cuts what is long, and half a secret has no shape.
    for told in (*CANARIES.values(), NUMBER):
        with suppress(Exception), engine.connect() as connection:
            try:
                connection.execute(text("SELECT * FROM nowhere WHERE it = :it"), {"it": told})
            except Exception:
                logger.exception("failed")
                raise
    engine.dispose()


def warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=True)
        warnings.warn(WORDS, stacklevel=1)


@pytest.fixture
def said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[[Literal["text", "json"]], str]:
    """Everything that was written, once all errors were made."""

    def say(form: Literal["text", "json"]) -> str:
        secrets = Secrets.model_validate({k: SecretStr(v) for k, v in CANARIES.items()})
        settings = LoggingSettings(level="DEBUG", format=form)
        logs.configure(settings, tmp_path, secrets.values(), to_terminal=True)
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.DEBUG)
        for make in (say_it, raise_in_a_chain, raise_in_a_group, ask_nobody, break_a_statement):
            make()
        warn()
        return (tmp_path / "gaia.log").read_text() + capsys.readouterr().err

    return say


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_and_no_number_is_in_any_line(said: Callable[[str], str], form: str) -> None:
    text = said(form)
    assert text.count("asked with") >= 6
    assert "OperationalError" in text
    assert "ConnectError" in text
    assert "UserWarning" in text
    for canary in ("bird", "mine", NUMBER[1:], "AC0a"):
        assert [line for line in text.splitlines() if canary in line] == []
