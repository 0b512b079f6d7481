"""The configuration files that come with gaia: complete, right and loadable."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from gaia.paths import Home
from gaia.settings.document import parse_document
from gaia.settings.keys import Key, all_keys
from gaia.settings.load import config_folder, default_settings_file, load_settings
from gaia.settings.schema import Settings

EXAMPLES = sorted((config_folder() / "examples").glob("*.yaml"))


def key_name(key: Key) -> str:
    return str(key)


@pytest.fixture(scope="module")
def default_lines() -> list[str]:
    return default_settings_file().read_text(encoding="utf-8").splitlines()


def test_the_default_file_sets_every_key_to_its_default() -> None:
    values = yaml.safe_load(default_settings_file().read_text(encoding="utf-8"))
    assert values == Settings().model_dump()


@pytest.mark.parametrize("key", all_keys(), ids=key_name)
def test_each_key_of_the_default_file_has_a_comment_with_its_range(
    key: Key, default_lines: list[str]
) -> None:
    document = parse_document(Path("gaia.yaml"), "\n".join(default_lines))
    line = document.key_places[key.path].line
    comment = comment_above(default_lines, line)
    if key.path[-2] not in ("llm", "embedder", "vector_store"):
        assert comment, f"{key} has no comment"
    for bound in numbers_of(key.allowed):
        assert bound in comment, f"the comment of {key} does not tell {key.allowed!r}"


def test_there_are_examples() -> None:
    assert [file.stem for file in EXAMPLES] == ["embedded", "gemini", "openai-compatible"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda file: file.stem)
def test_an_example_loads_without_a_warning(example: Path, tmp_path: Path) -> None:
    home = Home(tmp_path)
    shutil.copyfile(example, home.settings_file)
    loaded = load_settings(home, {})
    assert loaded.warnings == ()
    assert loaded.settings != Settings()


def comment_above(lines: list[str], line: int) -> str:
    comment: list[str] = []
    for text in reversed(lines[: line - 1]):
        if not text.lstrip().startswith("#"):
            break
        comment.insert(0, text.lstrip("# "))
    return " ".join(comment)


def numbers_of(allowed: str) -> list[str]:
    return [word for word in allowed.split() if word.isdigit()]
