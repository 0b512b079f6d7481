"""`gaia grow`: what usage proposes to change, applied after a yes, listed and undone."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gaia.cli.console import AsJson, columns, echo_json, local_time, say
from gaia.cli.home import there_is_a_database, wake, with_database
from gaia.cli.memory.change import with_memory
from gaia.cli.memory.view import OfUser, shown_line
from gaia.text import counted

if TYPE_CHECKING:
    from gaia.ops.growth.figures import Figures
    from gaia.ops.growth.proposals import Proposal
    from gaia.store.engine import Database
    from gaia.store.growth import Step
    from gaia.store.people.identities import User

app = typer.Typer(
    no_args_is_help=True, help="What usage proposes to change, applied only after a yes."
)


@app.command()
def run(
    days: Annotated[
        int, typer.Option("--days", "-d", min=1, max=365, help="How many days are looked at.")
    ] = 30,
    apply: Annotated[
        list[str] | None,
        typer.Option(
            "--apply", metavar="KEY", help="Apply this one without a question. May be repeated."
        ),
    ] = None,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Propose changes, from costs, failures, questions and requests.

    Settings are of the whole home, rules of the owner that is named. No model is asked.
    """
    from gaia.clock import SystemClock
    from gaia.memory.search.search import Search
    from gaia.ops.growth.figures import NoIndex, figures
    from gaia.ops.growth.proposals import propose
    from gaia.ops.growth.steps import take
    from gaia.paths import find_home
    from gaia.settings.load import load_settings
    from gaia.store.people.identities import Role

    home, clock = find_home(), SystemClock()

    async def look(database: Database, owner: User) -> tuple[User, Figures]:
        if owner.role is not Role.OWNER:
            raise typer.BadParameter(f"{owner.name} is no owner of gaia", param_hint="--user")
        search = Search(database, NoIndex(), clock)
        return owner, await database.read(figures, search, owner.user_id, clock.now(), days)

    owner, found = with_memory(user, look)
    proposals = propose(found, load_settings(home).settings)
    wanted = _named(apply, proposals) if apply else _asked(found, proposals, as_json=as_json)

    async def act(database: Database, _: User) -> Sequence[Step]:
        return await take(home, database, owner.user_id, wanted, clock)

    steps = with_memory(owner.user_id, act) if wanted else ()
    runs = bool(steps) and wake()
    if as_json:
        echo_json(
            {
                "figures": _figures_as_json(found),
                "proposals": [_proposal_as_json(each) for each in proposals],
                "applied": [each.growth_id for each in steps],
                "running": runs,
            }
        )
    elif proposals:
        say(f"Applied {counted(len(steps), 'change', 'changes')}.{_undo_hint(steps)}")


@app.command("list")
def list_steps(as_json: AsJson = False) -> None:
    """List what was applied, and what of it was undone."""
    steps = _steps()
    if as_json:
        echo_json([_step_as_json(each) for each in steps])
    elif steps:
        rows = [
            (
                str(each.growth_id),
                local_time(each.at),
                each.key,
                f"undone {local_time(each.undone_at)}" if each.undone_at else _change(each),
            )
            for each in steps
        ]
        typer.echo(columns(("ID", "SINCE", "WHAT", "CHANGE"), rows))
    else:
        say("Nothing has been applied yet: 'gaia grow run' proposes what to change.")


@app.command()
def undo(
    growth_id: Annotated[
        int | None,
        typer.Argument(help="As 'gaia grow list' shows it.", show_default="the last one"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take back what was applied. A setting gets its former value, a rule is archived."""
    from gaia.clock import SystemClock
    from gaia.errors import UpkeepError
    from gaia.ops.growth import steps
    from gaia.paths import find_home

    home, known = find_home(), _steps()
    chosen = next(
        (
            each
            for each in known
            if each.growth_id == growth_id or (growth_id is None and each.undone_at is None)
        ),
        None,
    )
    if chosen is None:
        lack = "nothing to undo" if growth_id is None else f"no change {growth_id}"
        raise UpkeepError(f"there is {lack}: 'gaia grow list' shows what was applied")
    with_database(lambda database: steps.undo(home, database, chosen, SystemClock()))
    wake()
    if as_json:
        echo_json({"undone": chosen.growth_id, "key": chosen.key})
    else:
        say(f"Undone: {chosen.key}.")


def _steps() -> Sequence[Step]:
    from gaia.store import growth

    if not there_is_a_database():
        return ()
    return with_database(lambda database: database.read(growth.every))


def _named(keys: Collection[str], proposals: Sequence[Proposal]) -> Sequence[Proposal]:
    unknown = set(keys) - {each.key for each in proposals}
    if unknown:
        there = ", ".join(each.key for each in proposals) or "nothing"
        raise typer.BadParameter(
            f"{', '.join(sorted(unknown))} is not proposed: {there} is", param_hint="--apply"
        )
    return [each for each in proposals if each.key in keys]


def _asked(found: Figures, proposals: Sequence[Proposal], *, as_json: bool) -> Sequence[Proposal]:
    """Those that the owner says yes to, one after the other."""
    if as_json:
        return ()
    for line in _figures_in_words(found):
        typer.echo(line)
    if not proposals:
        say("\nNothing to change.")
    wanted = []
    for each in proposals:
        typer.echo(f"\n{each.key}: {each.reason}\n{_diff(each)}")
        if sys.stdin.isatty() and typer.confirm("Apply it?", default=False):
            wanted.append(each)
    if proposals and not sys.stdin.isatty():
        say("\nNobody can be asked here: --apply KEY applies one.")
    return wanted


def _diff(proposal: Proposal) -> str:
    if proposal.before is None:
        return f"+ rule: {shown_line(str(proposal.after))}"
    before, after = (_lines(each) for each in (proposal.before, proposal.after))
    return "\n".join(
        [
            *(f"- {proposal.key}: {line}" for line in before if line not in after),
            *(f"+ {proposal.key}: {line}" for line in after if line not in before),
        ]
    )


def _lines(value: Any) -> Sequence[str]:
    text = value if isinstance(value, str) else str(value).lower()
    return text.splitlines()


def _figures_in_words(found: Figures) -> Sequence[str]:
    mean_in, mean_out = (
        total // found.calls if found.calls else 0 for total in (found.tokens_in, found.tokens_out)
    )
    told = [
        (
            "answers",
            f"{counted(found.calls, 'model call', 'model calls')}, on average "
            f"{mean_in:,} tokens in and {mean_out:,} out",
        ),
        (
            "failures",
            f"{found.dead:,} of {counted(found.received, 'message', 'messages')} without an answer",
        ),
        ("budgets", f"used up on {counted(found.spent_days, 'day', 'days')}"),
        (
            "questions",
            f"{found.unanswered:,} of {found.questions:,} found no memory",
        ),
    ]
    return [f"The last {found.days} days:", *(f"{name:<10} {text}" for name, text in told)]


def _figures_as_json(found: Figures) -> dict[str, object]:
    from dataclasses import asdict

    return {key: value for key, value in asdict(found).items() if key != "requests"}


def _proposal_as_json(each: Proposal) -> dict[str, object]:
    return {
        "key": each.key,
        "kind": each.kind,
        "before": each.before,
        "after": each.after,
        "reason": each.reason,
    }


def _step_as_json(each: Step) -> dict[str, object]:
    return {
        "growth_id": each.growth_id,
        "at": each.at.isoformat(),
        "kind": each.kind,
        "key": each.key,
        "before": each.before,
        "after": each.after,
        "memory_id": each.memory_id,
        "reason": each.reason,
        "undone_at": each.undone_at.isoformat() if each.undone_at else None,
    }


def _change(each: Step) -> str:
    if each.kind == "rule":
        return f"memory {each.memory_id}" if each.memory_id else "its memory is gone"
    before, after = (shown_line(str(value)) for value in (each.before, each.after))
    return f"{before or 'nothing'} -> {after}"


def _undo_hint(steps: Sequence[Step]) -> str:
    numbers = ", ".join(f"'gaia grow undo {each.growth_id}'" for each in steps)
    return f" To take back: {numbers}." if steps else ""
