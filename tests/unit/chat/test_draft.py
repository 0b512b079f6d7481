from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from gaia.cli.chat.draft import Draft

ANSWER = """Here is a plan:

1. milk
2. bread

```python
print("hello")

print("again")
```

| a | b |
|---|---|
| 1 | 2 |

Bye."""


@given(st.lists(st.integers(0, len(ANSWER)), max_size=30))
def test_finished_blocks_and_rest_are_the_reply(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(ANSWER)]
    draft = Draft()
    shown = ""
    for begin, end in itertools.pairwise(places):
        draft.add(ANSWER[begin:end])
        shown += draft.take_finished()
    rest = draft.rest(ANSWER)
    assert rest is not None
    assert shown + rest == ANSWER


def test_a_reply_that_was_not_previewed_is_all_rest() -> None:
    assert Draft().rest("Hi.") == "Hi."


def test_space_around_a_preview_makes_no_difference() -> None:
    draft = Draft()
    draft.add("\n\n  One.\n\nTwo.\n")
    assert draft.take_finished() == "One.\n\n"
    assert draft.rest("One.\n\nTwo.") == "Two."
    assert draft.rest("\nOne.\n\nTwo.") == "Two."


def test_what_was_not_given_away_may_change() -> None:
    draft = Draft()
    draft.add("Hello wor")
    assert draft.rest("Goodbye.") == "Goodbye."


def test_a_reply_that_does_not_go_on_from_the_screen_is_printed_whole() -> None:
    draft = Draft()
    draft.add("One.\n\nTwo.")
    assert draft.take_finished() == "One.\n\n"
    assert draft.rest("Something else.") is None


def test_escape_sequences_that_come_in_pieces_are_removed() -> None:
    draft = Draft()
    for piece in ("\x1b", "[31", "mred\x1b[", "0m\n\nnext"):
        draft.add(piece)
    assert draft.take_finished() == "red\n\n"


def test_an_answer_after_a_tool_begins_after_what_was_said_before_it() -> None:
    draft = Draft()
    draft.add("Let me look.")
    assert draft.take_aside() == "Let me look."
    draft.add("It is noon.\n\nAnd")
    assert draft.take_finished() == "It is noon.\n\n"
    assert draft.rest("It is noon.\n\nAnd sunny.") == "And sunny."


def test_an_answer_may_include_what_was_said_before_a_tool() -> None:
    draft = Draft()
    draft.add("Let me look.")
    draft.take_aside()
    draft.add("It is")
    assert draft.rest("Let me look.\n\nIt is noon.") == "It is noon."


def test_a_turn_that_begins_anew_voids_what_was_previewed() -> None:
    draft = Draft()
    draft.add("One.\n\nTwo.")
    draft.take_finished()
    draft.restart()
    assert not draft.has_printed
    assert draft.tail == ""
    assert draft.rest("One.") == "One."


def test_whether_a_reply_goes_on_from_the_draft() -> None:
    draft = Draft()
    draft.add("One.\n\nTwo, thr")
    draft.take_finished()
    assert draft.is_begin_of("One.\n\nTwo, three.")
    assert not draft.is_begin_of("Stopped.")
