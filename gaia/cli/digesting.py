"""`gaia sessions digest`: has conversations read and learned from at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.asking import ask, echo_json
from gaia.cli.opening import there_is_a_database, with_database

if TYPE_CHECKING:
    from gaia.cli.memory.progress import Told
    from gaia.ops.digest_report import DigestOutcome
    from gaia.paths import Home
    from gaia.store.engine import Database


def digest(
    user: Annotated[str | None, typer.Option(help="Of this user, by name or id.")] = None,
    all_users: Annotated[bool, typer.Option("--all", help="Of all users.")] = False,
    retry: Annotated[bool, typer.Option(help="Only what could not be read before.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a script.")] = False,
) -> None:
    """Learn from the conversations that go on, without waiting until they idle. They begin
    anew with it."""
    from gaia.cli.memory.progress import counting
    from gaia.errors import NotRunningError
    from gaia.ops.queries.people import OWNER, USERS, Whose
    from gaia.ops.queries.query import Everything
    from gaia.paths import find_home

    if (user and all_users) or not (user or all_users or retry):
        raise typer.BadParameter("say whose: --user NAME, or --all")
    if not there_is_a_database():
        _tell_left(0, as_json=as_json)
        return
    user_id = None if user is None else ask(OWNER, Whose(user=user)).user_id
    names = {each.user_id: each.name for each in ask(USERS, Everything()).users}
    home = find_home()
    try:
        with counting("reading") as progress:
            outcomes = _ask_daemon(home, user_id, progress, retry=retry)
    except NotRunningError:
        waiting = with_database(lambda database: _seal_apart(database, user_id, retry=retry))
        _tell_left(waiting, as_json=as_json)
        return
    _tell(outcomes, names, as_json=as_json)


def _ask_daemon(
    home: Home, user_id: str | None, progress: Told, *, retry: bool
) -> Sequence[DigestOutcome]:
    from gaia.cli.control import asking
    from gaia.errors import LearningOffError, NotRunningError
    from gaia.ops.digest_report import DIGEST_PATH, DigestStep, DigestWish

    wish = DigestWish(user_id=user_id, retry=retry)
    with asking(home, DIGEST_PATH, wish.model_dump_json(), None) as answer:
        for line in answer:
            step = DigestStep.model_validate_json(line)
            if step.error:
                raise LearningOffError(step.error)
            if step.outcomes is not None:
                return step.outcomes
            progress(step.done, step.total)
    raise NotRunningError("gaia ended before all was read: its next start goes on with it")


async def _seal_apart(database: Database, user_id: str | None, *, retry: bool) -> int:
    """Seal what the next daemon is to read; returns how much that is."""
    from gaia.clock import SystemClock
    from gaia.digest.at_once import OFF
    from gaia.digest.seal import seal_now
    from gaia.paths import find_home
    from gaia.settings.load import load_settings

    memory = load_settings(find_home()).settings.memory
    if not (memory.enabled and memory.auto_ingest):
        raise OFF
    return len(await database.write(seal_now, user_id, SystemClock().now(), retry=retry))


def _tell_left(waiting: int, *, as_json: bool) -> None:
    from gaia.ops.words import counted

    if as_json:
        echo_json({"running": False, "waiting": waiting, "digests": []})
    elif waiting:
        which = counted(waiting, "conversation", "conversations")
        typer.echo(f"gaia does not run: its next start reads {which}.")
    else:
        typer.echo("There is nothing to read.")


def _tell(outcomes: Sequence[DigestOutcome], names: Mapping[str, str], *, as_json: bool) -> None:
    if as_json:
        told = [each.model_dump() | {"user": names.get(each.user_id)} for each in outcomes]
        echo_json({"running": True, "waiting": 0, "digests": told})
    elif not outcomes:
        typer.echo("There is nothing to read.")
    for each in () if as_json else outcomes:
        typer.echo(f"{names.get(each.user_id, '(removed)')}: {_in_words(each)}")
    if any(each.state != "cleared" for each in outcomes):
        raise typer.Exit(1)


def _in_words(outcome: DigestOutcome) -> str:
    from gaia.ops.words import counted

    if outcome.state == "cleared":
        learned = counted(outcome.learned, "memory", "memories")
        return f"{learned} learned, {outcome.changed} changed"
    if outcome.state == "failed":
        return (
            f"could not be read, and is tried again tomorrow: {outcome.error}. "
            "'gaia sessions digest --retry' tries at once"
        )
    if outcome.error:
        return f"is tried again in a few minutes: {outcome.error}"
    if outcome.waits:
        return "waits for tomorrow: a budget of today is used up, and 'gaia status' says which"
    return "waits to be read: messages that are still to be answered come first"
