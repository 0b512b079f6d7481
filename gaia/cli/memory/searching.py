"""`gaia memory search`: by words and by meaning where gaia runs, otherwise by words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.asking import ask
from gaia.cli.memory.options import AsJson, OfUser
from gaia.cli.opening import with_database

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gaia.ops.memory_report import HitReport, SearchReport

EXPLANATION_INDENT = "    "


def search(
    words: Annotated[list[str], typer.Argument(help="What to look for; a question will do.")],
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=200, help="How many, at most.")
    ] = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show why each was found, and what it scored.")
    ] = False,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Find memories, the best first."""

    from gaia.ops.queries.people import OWNER, Whose

    owner = ask(OWNER, Whose(user=user))
    report = _found(owner.user_id, " ".join(words), limit)
    if report.fault:
        typer.echo(f"searched by words alone: {report.fault}", err=True)
    if as_json:
        typer.echo(report.model_dump_json(indent=2, ensure_ascii=True))
    elif not report.hits:
        typer.echo(f"Nothing like that is in the memory of {owner.name}.")
    elif explain:
        typer.echo(_explained(report.hits))
    else:
        typer.echo(_as_table(report.hits))


def _found(user_id: str, words: str, limit: int) -> SearchReport:
    """What the daemon finds; without one, what full text alone does."""
    from gaia.cli.memory import daemon
    from gaia.errors import NotRunningError
    from gaia.paths import find_home

    try:
        return daemon.search(find_home(), user_id, words, limit)
    except NotRunningError as exc:
        from gaia.cli.memory.words_only import search_by_words

        fault = str(exc)
        return with_database(
            lambda database: search_by_words(database, user_id, words, limit, fault=fault)
        )


def _as_table(hits: Sequence[HitReport]) -> str:
    from gaia.cli.memory.showing import row, table

    return table([row(h.memory_id, h.said_at, h.kind, h.text, h.sensitive) for h in hits])


def _explained(hits: Sequence[HitReport]) -> str:
    """Each hit as the table has it, with its reasons below."""
    first, *lines = _as_table(hits).split("\n")
    told = [first]
    for line, hit in zip(lines, hits, strict=True):
        told += [line, *(f"{EXPLANATION_INDENT}{reason}" for reason in _reasons(hit)), ""]
    return "\n".join(told[:-1])


def _reasons(hit: HitReport) -> Sequence[str]:
    parts = hit.parts
    added = [
        ("words", parts.words),
        ("meaning", parts.meaning),
        ("neighbours", parts.neighbours),
        ("named", parts.name),
        ("dated", parts.date),
        ("question", -parts.question),
    ]
    score = " ".join(f"{name} {value:+.2f}" for name, value in added if value) or "nothing"
    words = "none matches" if hit.bm25 is None else f"BM25 {hit.bm25:.2f}"
    near = "not near" if hit.similarity is None else f"similarity {hit.similarity:.3f}"
    unasked = "is" if hit.relevant and not hit.sensitive else "is not"
    return (
        f"score {hit.score:.2f} = {score}",
        f"words: {words}, {hit.coverage:.0%} of what was asked; meaning: {near}",
        f"relevance {hit.coverage + hit.nearness:.2f}: {unasked} given to the model unasked",
    )
