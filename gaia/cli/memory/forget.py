"""`gaia memory forget`: shows what would go, asks, and has it forgotten for good."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from gaia.cli.console import AsJson, echo_json, say
from gaia.cli.home import overwrite, wake
from gaia.cli.memory.change import read_memory, write_memory
from gaia.cli.memory.view import OfUser, memory_table
from gaia.text import counted, counted_memories

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from gaia.memory.forget import Forgotten
    from gaia.memory.memory import Memory
    from gaia.store.people.identities import User

SHOWN = 20
"""Memories that a question lists; of more, their number."""

NUMBER = re.compile(r"#?(\d{1,30})", re.ASCII)


@dataclass(frozen=True, slots=True)
class _ForgetTarget:
    """What is to be forgotten, of whom: some memories, or everything."""

    user: User
    memories: Sequence[Memory]
    everything: bool
    total: int
    words: str = ""
    said: int = 0


def forget(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORDS|ID", help="Words that all stand in a memory, or numbers."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Everything, with all that was said in conversations.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Forget memories for good, with every trace of them."""
    if bool(what) is every:
        raise typer.BadParameter(
            "give words or numbers, or --all for everything", param_hint="WORDS|ID"
        )
    target = _understand(what or (), user, everything=every)
    count, is_requested = 0, bool(target.memories or target.said) or target.everything
    if is_requested:
        if not yes:
            _ask(target, as_json=as_json)
        count = _carry_out(target).count
    runs = wake()
    done = is_requested and not runs and overwrite()
    if as_json:
        told = {"forgotten": count, "messages": target.said, "running": runs, "done": done}
        echo_json(told)
    elif is_requested:
        end = rest(runs=runs, done=done)
        say(f"Forgot {counted_memories(count)} of {target.user.name}. {end}")
    else:
        say(
            f"Nothing in the memory of {target.user.name} holds all of these words: "
            "'gaia memory list' lists everything."
        )


def _understand(what: Sequence[str], user: str | None, *, everything: bool) -> _ForgetTarget:
    from gaia.errors import UnknownMemoryError
    from gaia.memory import forget, ledger

    numbers = [found[1] for told in what if (found := NUMBER.fullmatch(told))]

    def read(session: Session, owner: User) -> _ForgetTarget:
        words, said = "", 0
        total = ledger.count(session, owner.user_id)
        if everything:
            return _ForgetTarget(owner, (), True, total)
        if len(numbers) < len(what):
            words = " ".join(what)
            ids = forget.with_words(session, owner.user_id, words)
            said = len(forget.said_with(session, owner.user_id, words))
        else:
            ids = [int(number) for number in numbers]
        found = ledger.get_many(session, owner.user_id, ids)
        missing = sorted(set(ids) - {each.memory_id for each in found})
        if missing:
            raise UnknownMemoryError(
                f"there is no memory {', '.join(map(str, missing))} of {owner.name}: "
                "'gaia memory list' shows all; nothing is forgotten"
            )
        return _ForgetTarget(owner, found[::-1], False, total, words, said)

    return read_memory(user, read)


def _ask(target: _ForgetTarget, *, as_json: bool) -> None:
    from gaia.ops.queries.memories import memory_report

    if as_json or not sys.stdin.isatty():
        raise typer.BadParameter(
            "nobody can be asked here: add --yes to forget without a question",
            param_hint="--yes",
        )
    if target.everything:
        typer.confirm(
            f"Forget everything of {target.user.name}: {counted_memories(target.total)}, and all "
            "that was said in their conversations, for good?",
            abort=True,
        )
        return
    if target.memories:
        typer.echo(memory_table([memory_report(each) for each in target.memories[:SHOWN]]))
    if len(target.memories) > SHOWN:
        say(f"… and {len(target.memories) - SHOWN:,} more")
    said = counted(target.said, "message", "messages")
    also = f", and {said} with these words" if target.said else ""
    typer.confirm(
        f"Forget {counted_memories(len(target.memories))} of {target.user.name}{also}, for good?",
        abort=True,
    )


def _carry_out(target: _ForgetTarget) -> Forgotten:
    from gaia.memory import forget as forgetting
    from gaia.store import audit

    def change(session: Session, owner: User, now: datetime) -> Forgotten:
        if target.everything:
            return forgetting.forget_everything(session, owner.user_id, now=now, by=audit.CLI)
        ids = [each.memory_id for each in target.memories]
        return forgetting.forget(
            session, owner.user_id, ids, words=target.words, now=now, by=audit.CLI
        )

    return write_memory(target.user.user_id, change)


def rest(*, runs: bool, done: bool) -> str:
    """What becomes of the other copies of what was forgotten."""
    if done:
        return "No file holds anything of it any more."
    if runs:
        return "Every remaining copy is erased within a minute, or when a turn that runs has ended."
    return "Every remaining copy is erased when gaia runs next."
