"""The documents say all that there is, and nothing that there is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer.main

from gaia import __version__
from gaia.cli.main import app
from gaia.settings.keys import Key, all_keys
from gaia.settings.secrets import VARIABLES

LINK = re.compile(r"\]\(([^)#\s]*)(?:#([\w-]+))?[^)]*\)")
DOCUMENTS = sorted(Path(__file__).parents[3].glob("*.md")) + sorted(
    (Path(__file__).parents[3] / "docs").glob("*.md")
)


def table_rows(text: str) -> dict[str, list[str]]:
    """The cells of each table row whose first cell is one or two words of code."""
    rows = re.findall(r"^\| `([^`]+)`[^|]* \|(.+)\|$", text, re.MULTILINE)
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in rows}


@pytest.fixture(scope="module")
def setting_rows(root: Path) -> dict[str, list[str]]:
    text = (root / "docs/configuration.md").read_text(encoding="utf-8")
    return table_rows(text[text.index("## Settings") :])


@pytest.mark.parametrize("key", all_keys(), ids=str)
def test_each_setting_is_documented_with_default_and_range(
    key: Key, setting_rows: dict[str, list[str]]
) -> None:
    default, allowed, meaning = setting_rows[str(key)]
    assert default == f"`{json.dumps(key.default)}`"
    assert allowed == key.allowed
    assert meaning


def test_no_setting_is_documented_that_does_not_exist(setting_rows: dict[str, list[str]]) -> None:
    assert list(setting_rows) == [str(key) for key in all_keys()]


def test_each_variable_for_a_secret_is_documented(root: Path) -> None:
    text = (root / "docs/configuration.md").read_text(encoding="utf-8")
    for variables in VARIABLES.values():
        for variable in variables:
            assert f"`{variable}`" in text


def test_each_dependency_has_a_reason_a_licence_and_an_alternative(
    root: Path, pyproject: dict[str, Any]
) -> None:
    project, groups = pyproject["project"], pyproject["dependency-groups"]
    lists = [project["dependencies"], *project["optional-dependencies"].values(), *groups.values()]
    declared = {
        re.split(r"[\[<>=~;! ]", requirement)[0]
        for requirements in lists
        for requirement in requirements
        if isinstance(requirement, str)
    }
    rows = table_rows((root / "docs/dependencies.md").read_text(encoding="utf-8"))
    assert rows.keys() == declared
    assert {name: cells for name, cells in rows.items() if not all(cells)} == {}


def test_the_changelog_has_room_for_what_comes_and_names_the_version(root: Path) -> None:
    headings = re.findall(r"^## (.+)$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    released = [heading.split()[0].strip("[]") for heading in headings[1:]]
    assert not released or released[0] == __version__


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_between_files_lead_somewhere(document: Path) -> None:
    for target, anchor in LINK.findall(document.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            linked = document.parent / target if target else document
            assert linked.exists(), f"{document.name} links to {target}"
            assert not anchor or anchor in anchors(linked), f"{document.name}: {target}#{anchor}"


def anchors(document: Path) -> set[str]:
    """What GitHub makes of the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


def test_the_readme_lists_all_commands_and_no_others(root: Path) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    text = text[text.index("## Everyday use") : text.index("In a chat:")].replace("\\|", "|")
    listed: dict[str, set[str]] = {}
    for name, parts in re.findall(r"`gaia ([a-z]+)(?: ([a-z][a-z|-]*))?", text):
        listed.setdefault(name, set()).update(parts.split("|") if parts else ())
    commands = typer.main.get_group(app).commands
    assert listed == {name: set(getattr(each, "commands", ())) for name, each in commands.items()}
