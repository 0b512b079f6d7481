"""`gaia memory export` and `import`."""

from __future__ import annotations

import json
import re
import shlex
import stat
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from gaia.cli.main import app
from gaia.cli.memory import app as memory_app
from gaia.errors import MemoryFileError
from gaia.memory.ledger import LONGEST_MEMORY
from gaia.store.memory_tables import MemoryKind
from gaia.testing.clock import START
from tests.harness.book import said

POT = "The gate code is under the blue pot"
DOCUMENT = Path(__file__).parents[4] / "docs/memory.md"
TIMES = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memories.jsonl"


@pytest.fixture
def filled(shell, ada):
    async def fill(book) -> None:
        await book.keep(ada, said(POT, entities=("place:gate",), sensitive=True))
        rule = said("No meetings\non Friday", kind=MemoryKind.RULE, context="work", quote="never!")
        await book.keep(ada, rule)
        bonn = await book.keep(ada, "I live in Bonn")
        await book.replace(ada, bonn, "我住在乌尔姆")

    shell.book(fill)
    return shell


def without_numbers(memory: dict) -> dict:
    return {name: value for name, value in memory.items() if name in KEPT}


KEPT = ("kind", "text", "quote", "subject", "context", "sensitive", "said_at", "expires_at")


def test_an_export_is_one_s_own_and_whole(filled, file: Path) -> None:
    result = filled.run("export", str(file))
    assert (result.stdout, result.stderr) == ("", f"3 memories of Ada in {file}\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [each["text"] for each in lines] == [POT, "No meetings\non Friday", "我住在乌尔姆"]
    assert filled.done("export") == file.read_text(encoding="utf-8")
    assert [each.name for each in file.parent.iterdir() if each.is_file()] == [file.name]


def test_an_import_restores_what_was_exported(filled, file: Path) -> None:
    filled.done("export", str(file))
    filled.user("Bob")
    filled.done("import", str(file), "--user", "Bob")
    theirs = filled.read("list", "--user", "Bob")["memories"]
    ours = filled.read("list", "--user", "Ada")["memories"]
    assert list(map(without_numbers, theirs)) == list(map(without_numbers, ours))
    assert {each["source"] for each in theirs} == {"import"}
    numbers = [str(each["memory_id"]) for each in theirs]
    assert filled.read("why", numbers[-1], "--user", "Bob")["about"] == ["place:gate"]


def test_a_second_import_stores_nothing(filled, file: Path) -> None:
    filled.done("export", str(file))
    before = filled.read("list")
    assert filled.read("import", str(file)) == {
        "new": 0,
        "known": 3,
        "skipped": [],
        "running": False,
    }
    assert filled.read("list") == before


def test_markdown_is_for_people_and_can_be_taken_in(filled, tmp_path: Path) -> None:
    file = tmp_path / "memories.md"
    filled.done("export", str(file))
    day = START.astimezone().date()
    assert file.read_text(encoding="utf-8") == (
        "# What gaia remembers of Ada\n\n## Facts\n\n"
        f"- {POT} <!-- {day}, hidden -->\n- 我住在乌尔姆 <!-- {day} -->\n\n"
        f"## Rules\n\n- No meetings\n  on Friday <!-- {day} -->\n"
    )
    filled.user("Bob")
    said = filled.done("import", str(file), "--user", "Bob")
    assert said == "Took 3 memories into the memory of Bob; 0 known before.\n"
    theirs = filled.read("list", "--user", "Bob")["memories"]
    assert {each["text"]: (each["kind"], each["sensitive"]) for each in theirs} == {
        POT: ("fact", True),
        "我住在乌尔姆": ("fact", False),
        "No meetings\non Friday": ("rule", False),
    }


def test_a_format_that_is_named_counts(filled, tmp_path: Path) -> None:
    file = tmp_path / "memories.md"
    filled.done("export", str(file), "--format", "jsonl")
    assert file.read_text(encoding="utf-8").startswith('{"text"')
    assert filled.done("export", "--format", "markdown").startswith("# What gaia remembers")


def test_a_file_that_exists_is_replaced_when_that_is_said(filled, file: Path) -> None:
    file.write_text("mine")
    failure = filled.failure("export", str(file))
    assert isinstance(failure, MemoryFileError)
    assert "--force" in str(failure)
    assert file.read_text() == "mine"
    filled.done("export", str(file), "--force")
    assert file.read_text().startswith('{"text"')


def test_a_file_that_cannot_be_written_is_named(filled, tmp_path: Path) -> None:
    failure = filled.failure("export", str(tmp_path / "nowhere" / "memories.jsonl"))
    assert isinstance(failure, MemoryFileError)
    assert "cannot be written (No such file or directory)" in str(failure)


@pytest.mark.parametrize("name", [".", "/", "here"])
def test_a_folder_is_no_file_to_write(filled, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir(exist_ok=True)
    failure = filled.failure("export", str(folder) if name == "here" else name, "--force")
    assert isinstance(failure, MemoryFileError)
    assert "is a folder: name a file in it" in str(failure)


def test_plain_text_is_a_memory_a_line_also_from_standard_input(shell, ada) -> None:
    read = shell.read("import", "-", given="﻿I drink tea\r\n\r\n* I live in Ulm\r\nI DRINK TEA\r\n")
    assert (read["new"], read["known"]) == (2, 1)
    assert shell.texts() == ["I live in Ulm", "I drink tea"]


def test_nothing_is_stored_while_a_line_is_wrong(shell, ada, file: Path) -> None:
    file.write_text('{"text": "fine"}\nnonsense\n{"text": "my password is hunter2!"}\n')
    failure = shell.failure("import", str(file))
    assert isinstance(failure, MemoryFileError)
    lines = str(failure).splitlines()
    assert lines[0] == "2 lines cannot be taken, so nothing is stored:"
    assert lines[1].startswith("line 2: this is no memory in JSON")
    assert lines[2].startswith("line 3: it looks like it holds a password")
    assert "--skip-bad" in lines[3]
    assert "hunter2" not in str(failure)
    assert shell.texts() == []


def test_wrong_lines_are_left_out_when_that_is_said(shell, ada, file: Path) -> None:
    file.write_text('{"text": "fine"}\nnonsense\n')
    result = shell.run("import", str(file), "--skip-bad")
    assert result.stderr.startswith("skipped line 2: this is no memory in JSON")
    assert result.stdout == "Took 1 memory into the memory of Ada; 0 known before.\n"
    (skipped,) = shell.read("import", str(file), "--skip-bad")["skipped"]
    assert skipped["line"] == 2


def test_of_many_wrong_lines_the_first_are_named(shell, ada) -> None:
    failure = shell.failure("import", "-", "--format", "jsonl", given="nonsense\n" * 30)
    lines = str(failure).splitlines()
    assert len(lines) == 23
    assert lines[-2] == "10 lines more"


@pytest.mark.parametrize(
    ("content", "cause"),
    [(b"fine\nb\xff\n", "is not UTF-8 in line 2"), (None, "cannot be read (No such file")],
)
def test_a_file_that_cannot_be_read_is_named(shell, ada, file: Path, content, cause: str) -> None:
    if content is not None:
        file.write_bytes(content)
    failure = shell.failure("import", str(file))
    assert isinstance(failure, MemoryFileError)
    assert cause in str(failure)


def test_long_work_tells_how_far_it_is(shell, ada) -> None:
    result = shell.run("import", "-", given="\n".join(f"thing {n}" for n in range(200)))
    assert result.stderr.splitlines() == [
        "importing  25 % of 200",
        "importing  50 % of 200",
        "importing  75 % of 200",
        "importing 100 % of 200",
    ]


def blocks(language: str) -> list[str]:
    text = DOCUMENT.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def calls(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    return re.findall(r"^\$ gaia (.+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


def test_the_examples_of_the_shell_print_what_they_print(
    shell, ada, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    env = {"GAIA_HOME": str(shell.home.root), "COLUMNS": "80"}
    done = 0
    for block in blocks("console"):
        for command, expected in calls(block):
            result = CliRunner().invoke(app, shlex.split(command), env=env)
            assert result.exception is None, (command, result.output)
            assert TIMES.sub("…", result.stdout) == TIMES.sub("…", expected), command
            done += 1
    assert done == 12


def test_the_example_of_an_explanation_has_its_form(shell, ada) -> None:
    (block,) = (each for each in blocks("text") if "--explain" in each)
    ((command, expected),) = calls(block)
    shell.done("add", "The gate code is under the blue pot")
    printed = shell.done(*shlex.split(command)[1:])

    def form(line: str) -> str:
        return re.sub(r"similarity|not near|[-+]?\d[\d.]*%?|words|meaning", "…", line).split("…")[0]

    assert [form(line) for line in printed.splitlines()] == [
        form(line) for line in expected.splitlines()
    ]


def test_every_command_of_the_shell_is_told() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    commands = typer.main.get_command(memory_app).commands  # type: ignore[attr-defined]
    for name in commands:
        assert f"gaia memory {name}" in text, name


def test_the_limits_are_those_that_hold() -> None:
    assert f"| one memory | {LONGEST_MEMORY:,} characters |" in DOCUMENT.read_text("utf-8")
