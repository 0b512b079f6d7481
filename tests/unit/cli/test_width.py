"""What the commands print has room in a terminal of 80 columns, and no word is cut."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from datetime import UTC, datetime

import pytest
import typer.main
from rich.cells import cell_len

from gaia.cli import audit, jobs, outbox, sessions, users
from gaia.cli.console import columns, cut
from gaia.cli.main import app
from gaia.cli.memory.view import memory_table
from gaia.ops.queries.conversations import SessionReport
from gaia.ops.queries.memories import MemoryReport
from gaia.ops.queries.people import AddressReport, UserReport
from gaia.ops.queries.records import ChunkReport, DecisionReport, JobReport

WIDTH = 80
NOW = datetime(2026, 1, 31, 18, tzinfo=UTC)
NAME = "Wolfeschlegelsteinhausen von Bergerdorff der Ältere"
USER_ID = "u_abcdefghijklmnopqrstuvwxyz"
CAUSE = (
    "the 24-hour window of WhatsApp is closed and channels.whatsapp.template is not set: it "
    "waits until they write"
)


def commands(command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All commands and groups, as they are typed."""
    yield path
    for name, each in getattr(command, "commands", {}).items():
        yield from commands(each, (*path, name))


ALL = tuple(commands(typer.main.get_command(app)))


class Terminal(io.StringIO):
    """What is shown to a person."""

    def isatty(self) -> bool:
        return True


def shown(table: Callable[[], str]) -> str:
    """What a table looks like in a terminal."""
    with redirect_stdout(Terminal()):
        return table()


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_no_line_of_a_help_is_cut_or_too_long(path: tuple[str, ...]) -> None:
    command = typer.main.get_command(app)
    for name in path:
        command = command.commands[name]
    # In a terminal two columns are left free; `CliRunner` uses them.
    context = typer.Context(command, info_name=" ".join(("gaia", *path)), terminal_width=WIDTH - 2)
    told = command.get_help(context)
    _, _, rest = told.partition("\n\n")
    assert "..." not in rest
    assert "…" not in rest
    assert "<str>" not in told
    assert max(map(cell_len, told.splitlines())) <= WIDTH
    words = told.split()
    for text in (command.help or "", *(getattr(each, "help", "") for each in command.params)):
        assert set((text or "").split()) <= set(words), f"a word of {text!r} is split"


TABLES = {
    "users": lambda: users._as_table(
        [
            UserReport(
                user_id=USER_ID,
                name=NAME,
                role="member",
                is_group=False,
                created_at=NOW,
                addresses=tuple(
                    AddressReport(channel="whatsapp", sender=f"+1415523888{n}") for n in range(4)
                ),
            )
        ]
    ),
    "audit": lambda: audit._as_table(
        [
            DecisionReport(
                at=NOW,
                action="role changed",
                by=USER_ID,
                by_name=NAME,
                user_id=USER_ID,
                name=NAME,
                channel="whatsapp",
                sender="+14155238886",
                detail="from member to owner",
            )
        ]
    ),
    "jobs": lambda: jobs._as_table(
        [
            JobReport(
                name="memory-reconcile",
                due_at=NOW,
                started_at=NOW,
                finished_at=NOW,
                late_seconds=100_000,
                state="failed",
                error=CAUSE,
                attempts=3,
                succeeded_at=None,
                next_at=NOW,
            )
        ]
    ),
    "outbox": lambda: outbox._as_table(
        [
            ChunkReport(
                outbox_id=123456,
                state="pending",
                user=NAME,
                channel="whatsapp",
                chat="+14155238886",
                turn_id=None,
                seq=0,
                characters=100,
                attempts=12,
                possible_repeat=False,
                created_at=NOW,
                not_before=None,
                error=CAUSE,
            )
        ]
    ),
    "sessions": lambda: sessions._as_table(
        [
            SessionReport(
                session_id=f"{USER_ID}:telegram:-1001234567890:42#17",
                user_id=USER_ID,
                user=NAME,
                updated_at=NOW,
                events=1234,
            )
        ]
    ),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_with_long_values_has_room_and_splits_no_word(table: str) -> None:
    told = shown(TABLES[table])
    assert max(map(cell_len, told.splitlines())) <= WIDTH
    assert all(word in told.split() for word in NAME.split() if table != "jobs")


def test_a_program_gets_a_row_a_line() -> None:
    assert len(TABLES["outbox"]().splitlines()) == 2


def test_cells_go_on_below_and_stay_in_their_columns() -> None:
    told = shown(lambda: columns(("ID", "WHY"), [("1", "word " * 30), ("22", "short")]))
    assert told.splitlines() == [
        "ID  WHY",
        "1   " + ("word " * 15).rstrip(),
        "    " + ("word " * 15).rstrip(),
        "22  short",
    ]


def test_what_has_no_room_beside_the_others_has_a_line_of_its_own() -> None:
    long = "x" * 78
    assert shown(lambda: columns(("ID", "SESSION"), [("1", long), ("2", "")])) == (
        f"ID       1\nSESSION  {long}\n\nID       2"
    )


@pytest.mark.parametrize(
    ("line", "cut_line"),
    [
        ("hello my dear world", "hello my…"),
        ("hello my dear", "hello my dear"),
        ("antidisestablishmentarianism", "antidisestab…"),
        ("日本語日本語日本語", "日本語日本語…"),
    ],
)
def test_a_line_is_cut_behind_a_word(line: str, cut_line: str) -> None:
    assert cut(line, 13) == cut_line


def test_memories_are_cut_behind_a_word() -> None:
    text = "I keep the spare key of the garden shed under the third flower pot on the left"
    memory = MemoryReport.model_construct(
        memory_id=1, said_at=NOW, kind="fact", text=text, sensitive=False, pinned=False
    )
    *_, row = memory_table([memory]).splitlines()
    assert cell_len(row) <= WIDTH
    assert re.sub(r".*fact\s+", "", row).removesuffix("…").strip().split()[-1] in text.split()
