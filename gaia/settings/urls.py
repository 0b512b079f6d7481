"""Addresses of hosts: what is wrong with one, what was probably meant, and where this machine
reaches one of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from gaia.extras import POSTGRESQL

if TYPE_CHECKING:
    from sqlalchemy import URL

ENDPOINT = re.compile(r"/+(?:chat/completions|completions|responses|models|embeddings|messages)/*$")
"""What clients append themselves to a host's address."""

BARE_HOST = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+|[\w.-]+(?=:\d))(?::\d+)?(?:/|$)")
VERSION = re.compile(r"/v\d[^/]*(?:/|$)")

ANY_HOST: Mapping[str, str] = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Hosts that stand for all of the machine's addresses, and one of these."""


DATABASE_SCHEMES = ("postgresql", "postgres")
"""However a tool writes it: which driver is named behind it does not matter."""
DATABASE_DRIVER = "postgresql+psycopg"
DATABASE_EXAMPLE = "postgresql://gaia@db.example.org/gaia"
NO_DATABASE = "is not the address of a PostgreSQL database"


class MeantError(ValueError):
    """A value that is wrong, and `meant`, which is not."""

    def __init__(self, meant: str) -> None:
        super().__init__(meant)
        self.meant = meant


class HiddenError(ValueError):
    """A value that is wrong and is not to be shown, since it may hold a password; the text says
    what is wrong with it."""


def check_url(text: str) -> str:
    """Take an address of a host, or nothing.

    Raises:
        ValueError: It is neither.
    """
    if text:
        parts = urlsplit(text)
        _ = parts.port
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError(text)
        if parts.query or parts.fragment or re.fullmatch(r"\S+", text) is None:
            raise ValueError(text)
    return text


def check_public_url(text: str) -> str:
    """Take the address at which providers call gaia, or nothing: what gaia adds to it does not
    stand in it yet.

    Raises:
        ValueError: It is neither.
    """
    if "/hooks/" in f"{urlsplit(text).path}/":
        raise ValueError(text)
    return check_url(text)


def check_root_url(text: str) -> str:
    """Take the address of a server, without a path, or nothing.

    Raises:
        ValueError: It is neither.
    """
    if urlsplit(text).path.strip("/"):
        raise ValueError(text)
    return check_url(text).rstrip("/")


def check_model_url(text: str) -> str:
    """Take the address of a model's host, or nothing.

    Raises:
        ValueError: It is neither; a `MeantError` if what was meant is known.
    """
    meant = meant_url(text)
    if meant != text:
        raise MeantError(check_url(meant))
    return check_url(text)


def check_database_url(text: str) -> str:
    """Take the address of a PostgreSQL database, or nothing.

    Raises:
        HiddenError: It is neither.
    """
    if text:
        read_database_url(text)
    return text


def read_database_url(text: str) -> URL:
    """The address of a PostgreSQL database as SQLAlchemy has it, with the driver that gaia uses.

    Raises:
        HiddenError: It is none.
    """
    # It loads for long, and most homes have no such address.
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        said = make_url(text)
        url = said.set(drivername=DATABASE_DRIVER)
        _, words = url.get_dialect()().create_connect_args(url)
    except (ArgumentError, ValueError):
        raise HiddenError(NO_DATABASE) from None
    is_whole = re.fullmatch(r"\S+", text) is not None and "#" not in (url.database or "")
    is_postgres = said.drivername.partition("+")[0] in DATABASE_SCHEMES
    if not (is_whole and is_postgres and {"dbname", "service"} & words.keys()):
        raise HiddenError(NO_DATABASE)
    if POSTGRESQL.is_installed:
        from psycopg.pq import Conninfo

        # psycopg has options of its own, which are for programs.
        known = {each.keyword.decode() for each in Conninfo.get_defaults()}
        if unknown := sorted(words.keys() - known):
            raise HiddenError(f"has the option {unknown[0]!r}, which PostgreSQL does not know")
    return url


def meant_url(text: str) -> str:
    """The address that `text` was meant to be, itself where nothing is wrong with it.

    What clients append is taken off, and a scheme put before a host without one.
    """
    if "@" in text:  # A password: it is not to be repeated.
        return text
    stripped = text.strip(" \t\"'<>")
    if BARE_HOST.match(stripped):
        stripped = f"http://{stripped}"
    try:
        parts = urlsplit(stripped)
    except ValueError:
        return text
    if not parts.hostname or " " in stripped:
        return text
    scheme = parts.scheme if parts.scheme in ("http", "https") else "http"
    path = ENDPOINT.sub("", parts.path)
    if (path, parts.query, parts.fragment) == (parts.path, "", ""):
        return urlunsplit((scheme, parts.netloc, path, "", ""))
    return urlunsplit((scheme, parts.netloc, path.rstrip("/"), "", ""))


def with_version(url: str) -> str:
    """`url`, if there is one, with the `/v1` that most hosts of OpenAI's protocol want."""
    return url if not url or VERSION.search(urlsplit(url).path) else f"{url.rstrip('/')}/v1"


def place(host: str, port: int) -> str:
    """Host and port, as they stand in a URL."""
    reached = ANY_HOST.get(host, host)
    return f"[{reached}]:{port}" if ":" in reached else f"{reached}:{port}"
