"""An owner's gaia.yaml, edited."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia.errors import SettingsError
from gaia.ops.setup.yaml_text import default_comments, with_values
from gaia.settings.document import parse_document
from gaia.settings.keys import all_keys
from gaia.settings.load import default_settings_file

COMMENTS = default_comments(default_settings_file().read_text(encoding="utf-8"))
PROVIDER = ("model", "provider")
TOKENED = ("channels", "telegram", "enabled")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model:\n  provider: auto  # mine\n", "model:\n  provider: gemini  # mine\n"),
        ("model:\n  provider:   # mine\n", "model:\n  provider: gemini   # mine\n"),
        ("model: {provider: 'auto', retries: 1}", "model: {provider: gemini, retries: 1}"),
        ("model: {}\n", "model: {provider: gemini}\n"),
        ("model: {retries: 1}\n", "model: {provider: gemini, retries: 1}\n"),
        ("{model: null}\n", "{model: {provider: gemini}}\n"),
        ("model: ~ # none\nweb:\n", "model: # none\n  provider: gemini\nweb:\n"),
        ("model:\n# none\n", "model:\n  provider: gemini\n# none\n"),
        (
            "model:\n    retries: 1 # few\n\n# next\nweb: {}",
            "model:\n    retries: 1 # few\n    provider: gemini\n\n# next\nweb: {}",
        ),
        (
            "model:\n  instructions: |\n    Be kind.\n\n    Always.\nweb: {}\n",
            "model:\n  instructions: |\n    Be kind.\n\n    Always.\n  provider: gemini\nweb: {}\n",
        ),
        ("model:\r\n  retries: 1\r\n", "model:\r\n  retries: 1\r\n  provider: gemini\r\n"),
        ("# mine", "# mine\n\nmodel:\n  provider: gemini\n"),
        ("web: {}", "web: {}\n\nmodel:\n  provider: gemini\n"),
        ("", "model:\n  provider: gemini\n"),
        ("  web: {}\n", "  web: {}\n\n  model:\n    provider: gemini\n"),
    ],
)
def test_a_value_goes_where_it_belongs(before: str, after: str) -> None:
    assert with_values(before, {PROVIDER: "gemini"}, {}) == after


def test_a_block_is_replaced_and_the_comments_behind_it_stay() -> None:
    before = (
        "memory:\n  llm:\n    config: # its own\n      a: 1 # one\n    # next\n\n# web\nweb: {}\n"
    )
    after = before.replace("a: 1", '{"b": [2]}')
    assert with_values(before, {("memory", "llm", "config"): {"b": [2]}}, {}) == after


def test_a_small_number_stays_one() -> None:
    path = ("memory", "upkeep", "use_gain")
    assert with_values("", {path: 1e-07}, {}).endswith("use_gain: 1.0e-07\n")


def test_what_is_added_has_the_comments_of_the_default_file() -> None:
    assert with_values("", {TOKENED: True}, COMMENTS) == (
        "# The channels by which people reach gaia.\n"
        "channels:\n"
        "  # A bot on Telegram. Its token, from @BotFather, is GAIA_TELEGRAM_BOT_TOKEN in the\n"
        "  # environment or in .env.\n"
        "  telegram:\n"
        "    # Whether it is served. true or false.\n"
        "    enabled: true\n"
    )


def test_texts_that_would_be_read_as_something_else_are_quoted() -> None:
    number, name = ("channels", "whatsapp", "number"), ("model", "name")
    edited = with_values("", {number: "+14155238886", name: "yes", PROVIDER: "a: b #c"}, {})
    assert 'number: "+14155238886"' in edited
    assert 'name: "yes"' in edited
    assert parse_document(Path(), edited).values["model"] == {"name": "yes", "provider": "a: b #c"}


def test_a_file_without_a_sure_place_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"model\.provider: gemini"):
        with_values("? model\n: {provider}\n", {PROVIDER: "gemini"}, {})


LEAVES = st.sampled_from(
    [
        ("model", "name"),
        ("model", "retries"),
        ("model", "instructions"),
        ("model", "embedded", "threads"),
        ("channels", "telegram", "mode"),
        ("channels", "whatsapp", "number"),
        ("web", "port"),
        ("logging", "level"),
    ]
)
COMMENT = st.sampled_from(["# one", "# two: {x}", "# - three", "#"])


@st.composite
def written(draw: st.DrawFn) -> str:
    """A gaia.yaml as owners write them: blocks and braces, comments anywhere."""
    chosen = draw(st.lists(LEAVES, unique=True))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    step = draw(st.sampled_from([1, 2, 4]))
    blocks: dict[str, list[tuple[str, ...]]] = {}
    for path in chosen:
        blocks.setdefault(path[0], []).append(path[1:])
    lines = draw(st.lists(COMMENT, max_size=2))
    for block, inner in blocks.items():
        if draw(st.booleans()):
            told = ", ".join(_flow(draw, path) for path in inner)
            lines.append(f"{block}: {{{told}}}{draw(st.sampled_from(['', ' # end']))}")
            continue
        lines.append(f"{block}:{draw(st.sampled_from(['', ' # block', '   ']))}")
        groups: dict[str, list[tuple[str, ...]]] = {}
        for path in inner:
            groups.setdefault(path[0], []).append(path[1:])
        for name, rest in groups.items():
            lines += [" " * step + each for each in draw(st.lists(COMMENT, max_size=1))]
            if rest == [()]:
                lines += [" " * step + each for each in draw(_value(name))]
            else:
                lines.append(f"{' ' * step}{name}:")
                lines += [f"{' ' * 2 * step}{each[0]}: {draw(PLAIN)} # in" for each in rest]
        lines += draw(st.lists(st.sampled_from(["", "# between"]), max_size=2))
    return newline.join(lines) + draw(st.sampled_from(["", newline, newline * 2]))


PLAIN = st.sampled_from(["1", "'a # b'", '"x"', "plain words", "~", "''"])


def _flow(draw: st.DrawFn, path: tuple[str, ...]) -> str:
    return f"{path[0]}: {_flow_of(draw, path[1:])}"


def _flow_of(draw: st.DrawFn, rest: tuple[str, ...]) -> str:
    return draw(PLAIN) if not rest else f"{{{rest[0]}: {draw(PLAIN)}}}"


def _value(name: str) -> st.SearchStrategy[list[str]]:
    forms = [
        *([f"{name}: {each} # here"] for each in ("1", "'a # b'", "plain words", "~")),
        [f"{name}:"],
        [f"{name}: |", "     kept", "       as it is", "     # no comment"],
        [f"{name}: plain", "     and more"],
    ]
    return st.sampled_from(forms)


def _comments(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith("#")]


@settings(deadline=None)
@given(
    written(),
    st.dictionaries(
        st.sampled_from([key.path for key in all_keys() if isinstance(key.default, str)]),
        st.sampled_from(["gemini", "", "+491", "a: b", "# x", "http://127.0.0.1:1/v1"]),
        min_size=1,
        max_size=4,
    ),
)
def test_all_other_settings_and_comments_stay(
    text: str, values: dict[tuple[str, ...], str]
) -> None:
    before = parse_document(Path(), text)
    assert before.mistakes == []
    try:
        edited = with_values(text, values, {})
    except SettingsError:
        # Words at the end of a file without a last line break are read with one.
        assert not text.endswith("\n")
        return
    after = parse_document(Path(), edited)
    assert after.mistakes == []
    kept, found = dict(before.scalars()), dict(after.scalars())
    assert {path: found[path] for path in kept if path not in values} == {
        path: value for path, value in kept.items() if path not in values
    }
    assert {path: found[path] for path in values} == values
    remaining = _comments(edited)
    replaced = [before_value for path, before_value in kept.items() if path in values]
    lost = [each for each in _comments(text) if each not in remaining]
    assert all(any(each in value for value in replaced) for each in lost)
    assert with_values(edited, values, {}) == edited
