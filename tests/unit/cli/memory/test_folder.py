"""`gaia memory export --markdown` and `import` of the folder, where no daemon runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaia.errors import MemoryFileError

POT = "The gate code is under the blue pot"


@pytest.fixture
def folder(shell, ada, tmp_path: Path) -> Path:
    shell.read("add", POT)
    shell.read("add", "I ski")
    folder = tmp_path / "notes"
    shell.done("export", "--markdown", str(folder))
    return folder


def test_what_was_edited_is_taken_in(shell, folder: Path) -> None:
    memory = folder / "MEMORY.md"
    memory.write_text(memory.read_text().replace("blue", "red") + "- I row\n")
    told = shell.read("import", str(folder))
    assert (told["taken"], told["changed"], told["forgotten"]) == (2, [1], [])
    assert told["new"] == ["MEMORY.md, line 7"]
    assert shell.texts() == ["I row", POT.replace("blue", "red"), "I ski"]
    assert shell.done("import", str(folder)) == "Took 0 memories into the memory of Ada.\n"


def test_what_was_deleted_is_forgotten_after_a_yes(shell, folder: Path) -> None:
    memory = folder / "MEMORY.md"
    memory.write_text(
        "\n".join(each for each in memory.read_text().split("\n") if "gate" not in each)
    )
    refused = shell.run("import", str(folder))
    assert refused.exit_code == 2
    assert "1 memory would be forgotten" in refused.output
    assert len(shell.texts()) == 2
    told = shell.read("import", str(folder), "--yes")
    assert (told["forgotten"], told["done"]) == ([1], True)
    assert shell.texts() == ["I ski"]
    assert POT.encode() not in shell.home.database.read_bytes()


def test_lines_that_cannot_be_taken_hold_everything_up(shell, folder: Path) -> None:
    memory = folder / "MEMORY.md"
    memory.write_text(memory.read_text() + "- my password is hunter2!\n- I row\n")
    failure = shell.failure("import", str(folder))
    assert isinstance(failure, MemoryFileError)
    assert "MEMORY.md, line 7" in str(failure)
    assert "hunter2" not in str(failure)
    assert len(shell.texts()) == 2
    shell.done("import", str(folder), "--skip-bad")
    assert shell.texts()[0] == "I row"
    assert "hunter2" in memory.read_text(), "it is nowhere else"


def test_edits_are_not_written_over(shell, folder: Path) -> None:
    memory = folder / "MEMORY.md"
    memory.write_text(memory.read_text() + "- I row\n")
    assert "was edited" in str(shell.failure("export", "--markdown", str(folder)))
    shell.done("export", "--markdown", str(folder), "--force")
    assert "row" not in memory.read_text()


def test_a_folder_without_memories_is_refused(shell, tmp_path: Path) -> None:
    (tmp_path / "other" / "notes").mkdir(parents=True)
    (tmp_path / "other" / "notes" / "MEMORY.md").write_text("- I row\n")
    assert "other' holds no memories" in str(shell.failure("import", str(tmp_path / "other")))


def test_a_file_and_a_folder_are_not_named_at_once(shell, folder: Path) -> None:
    assert shell.run("export", "a.md", "--markdown", str(folder)).exit_code == 2
