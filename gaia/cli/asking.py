"""Answers queries: by the daemon that runs, or from the database where none does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeVar

import typer

if TYPE_CHECKING:
    from gaia.ops.queries.query import Query
    from gaia.ops.report import Report
    from gaia.paths import Home

Q = TypeVar("Q", bound="Report")
A = TypeVar("A", bound="Report")

ANSWER_SECONDS = 20.0


def ask(query: Query[Q, A], question: Q) -> A:
    """The answer to a question about the home.

    Raises:
        GaiaError: It is refused, in words for the owner.
    """
    from gaia.cli import control
    from gaia.errors import NotRunningError
    from gaia.ops.queries.query import QUERY_PATH
    from gaia.paths import find_home

    home = find_home()
    path, body = f"{QUERY_PATH}/{query.name}", question.model_dump_json()
    try:
        with control.asking(home, path, body, ANSWER_SECONDS) as answer:
            return query.answer.model_validate_json(answer.read())
    except NotRunningError:
        return _find(home, query, question)


def _find(home: Home, query: Query[Q, A], question: Q) -> A:
    import asyncio

    if not home.database.exists():
        return query.without_database(question)
    return asyncio.run(_find_in_database(home, query, question))


async def _find_in_database(home: Home, query: Query[Q, A], question: Q) -> A:
    from gaia.clock import SystemClock
    from gaia.store.opening import open_database

    database = await open_database(home)
    try:
        return await database.read(query.answer_from, question, SystemClock().now(), running=False)
    finally:
        await database.close()


def echo_json(value: object) -> None:
    """Print JSON for a script to read."""
    typer.echo(json.dumps(value, indent=2))
