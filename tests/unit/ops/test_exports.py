"""What is forgotten goes from the files that memories were exported to."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaia.ops import exports
from gaia.paths import Home

ADA, BOB = {"u_ada"}, {"u_bob"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.create()
    return home


def exported(home: Home, name: str, text: str, user_id: str = "u_ada") -> Path:
    path = home.root.parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    exports.note(home, user_id, path)
    return path


def says(word: str):
    return lambda text: word in text


def test_a_memory_goes_with_its_lines_and_the_others_stay(home: Home) -> None:
    markdown = exported(home, "a.md", "# Ada\n\n- tea\n  with milk\n- boats\n")
    lines = exported(home, "a.jsonl", '{"text": "tea"}\n{"text": "boats"}\n')
    assert exports.clean(home, ADA, says("tea"), everything=False) == 2
    assert markdown.read_text() == "# Ada\n\n- boats\n"
    assert lines.read_text() == '{"text": "boats"}\n'
    assert exports.clean(home, ADA, says("tea"), everything=False) == 0


def test_a_word_on_an_indented_line_takes_its_memory(home: Home) -> None:
    markdown = exported(home, "a.md", "- tea\n  with milk\n- boats\n")
    exports.clean(home, ADA, says("milk"), everything=False)
    assert markdown.read_text() == "- boats\n"


def test_what_stands_across_lines_takes_the_file(home: Home) -> None:
    markdown = exported(home, "a.md", "- green\n- tea\n")
    exports.clean(home, ADA, says("green\n- tea"), everything=False)
    assert not markdown.exists()


def test_everything_takes_the_files_of_its_user_alone(home: Home) -> None:
    mine, theirs = exported(home, "a.md", "- tea\n"), exported(home, "b.md", "- tea\n", "u_bob")
    exports.clean(home, ADA, says("tea"), everything=True)
    assert not mine.exists()
    assert theirs.read_text() == "- tea\n"
    assert exports.clean(home, BOB, says("tea"), everything=False) == 1


def test_a_folder_is_cleaned_and_links_and_other_files_are_left_alone(home: Home) -> None:
    folder = home.root.parent / "notes"
    note = exported(home, "notes/people/ann.md", "- Ann likes tea\n- Ann sails\n")
    other = folder / "own.txt"
    other.write_text("tea")
    outside = home.root.parent / "outside.md"
    outside.write_text("- tea\n")
    (folder / "link.md").symlink_to(outside)
    exports.note(home, "u_ada", folder)
    exports.clean(home, ADA, says("tea"), everything=False)
    assert note.read_text() == "- Ann sails\n"
    assert (other.read_text(), outside.read_text()) == ("tea", "- tea\n")


def test_what_is_gone_is_no_longer_listed_and_a_broken_list_breaks_nothing(home: Home) -> None:
    exported(home, "a.md", "- tea\n").unlink()
    with home.exports_file.open("a") as file:
        file.write("nonsense\n")
    assert exports.clean(home, ADA, says("tea"), everything=False) == 0
    assert not home.exports_file.exists()
