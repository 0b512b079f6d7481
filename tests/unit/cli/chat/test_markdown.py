"""Markdown on the screen: read as on the other channels, and nothing of it lost."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from gaia.cli.chat.markdown import ReplyMarkdown, finished_length


def rendered(text: str, *, last_lines: int | None = None) -> str:
    file = io.StringIO()
    Console(file=file, width=60).print(ReplyMarkdown(text, last_lines=last_lines))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("", ""),
        ("A paragraph", ""),
        ("A paragraph\n\n", ""),
        ("A paragraph\n\nAnother", "A paragraph\n\n"),
        ("# Head\ntext", "# Head\n"),
        ("- one\n- two\n\n- three", ""),
        ("- one\n\ntext", "- one\n\n"),
        ("```\ncode\n\nmore code", ""),
        ("```\ncode\n```\nafter", "```\ncode\n```\n"),
        ("a\n\n```\n# no head", "a\n\n"),
        ("| a |\n|---|\n| 1 |", ""),
        ("one\n\ntwo\n\nthree\n", "one\n\ntwo\n\n"),
        ("line\u2028separator\n\nnext", "line\u2028separator\n\n"),
    ],
)
def test_all_blocks_but_the_last_are_finished(text: str, finished: str) -> None:
    assert text[: finished_length(text)] == finished


def test_line_breaks_stay() -> None:
    assert rendered("/help lists\n/stop stops") == "/help lists\n/stop stops"


def test_html_is_shown_as_text() -> None:
    assert rendered("a <b>bold</b> move") == "a <b>bold</b> move"
    assert rendered("<div>\nblock\n</div>") == "<div>\nblock\n</div>"


def test_a_link_shows_where_it_leads() -> None:
    shown = rendered("[bank](https://evil.example) ![x](https://pixel.example)")
    assert "https://evil.example" in shown
    assert "https://pixel.example" in shown


@pytest.mark.parametrize("text", ["- a\n- b", "> q", "| a |\n|---|\n| 1 |", "```\ncode\n```"])
def test_there_are_no_empty_lines_around_a_piece(text: str) -> None:
    lines = rendered(text).splitlines()
    assert lines[0].strip()
    assert lines[-1].strip()


def test_only_the_end_is_shown_where_there_is_no_room_for_all() -> None:
    text = "\n\n".join(str(number) for number in range(20))
    assert rendered(text, last_lines=3) == "18\n\n19"


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4 = 24 and a*b*c",
        "call __init__ of C:\\_new\\*x",
        r"\(x^2\) and $a_b * c_d$",
        "[1]: https://example.org/x",
        "See [the docs].\n\nA [list].",
        "[]()",
        "# ",
        "```\n```",
    ],
)
def test_what_is_no_markdown_is_shown_as_it_is_written(text: str) -> None:
    assert rendered(text) == text.rstrip()


def test_a_reference_is_shown_once() -> None:
    assert rendered("See [a].\n\n[a]: https://a.b\n[a]: https://c.d") == (
        "See a (https://a.b).\n\n[a]: https://c.d"
    )


def test_tasks_have_boxes() -> None:
    assert rendered("- [ ] milk\n- [x] bread") == " • ☐ milk\n • ☑ bread"


def test_no_cell_of_a_table_is_cut() -> None:
    address = "https://example.org/" + "x" * 80
    shown = rendered(f"| a | b |\n|---|---|\n| {address} | 1 | 2 |")
    assert "".join(line.split()[0] for line in shown.splitlines()[2:]) == address
    assert shown.splitlines()[2].split()[1:] == ["1", "2"]


def test_what_is_nested_too_deep_is_shown_as_it_is_written() -> None:
    assert rendered("> " * 70 + "deep").count(">") == 70
