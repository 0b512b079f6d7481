"""What goes out of an event, and what keeps the event whole."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from google.adk.events import Event
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st

from gaia.memory.forget_matcher import ForgetMatcher
from gaia.sessions.redaction import redact_sessions, redacted
from gaia.sessions.service import event_text, read_events
from gaia.store import sessions
from gaia.store.engine import Database
from gaia.store.people.users import Role, Users
from gaia.store.redaction import REPLACEMENT, Redaction
from gaia.store.sessions import SessionKey
from gaia.testing.clock import FakeClock
from tests.harness.databases import opened
from tests.harness.sessions import add_turn

POT = "the gate code is under the blue pot"
says = ForgetMatcher([POT]).match
KEY = SessionKey("u_ada", "fake", "ada", 1)
NOW = datetime(2026, 1, 1, tzinfo=UTC)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.just(POT),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=9,
)
payloads = st.dictionaries(st.text(max_size=9), json_values, max_size=3)


def event_of(*parts: types.Part) -> dict:
    event = Event(author="gaia", content=types.Content(role="model", parts=list(parts)))
    return event.model_dump(exclude_none=True, mode="json")


def call(args: dict) -> types.Part:
    return types.Part(function_call=types.FunctionCall(id="call-1", name="remember", args=args))


@pytest.mark.parametrize(
    ("args", "left"),
    [
        ({"fact": POT}, {"fact": REPLACEMENT}),
        ({"fact": POT, "about": "garden"}, {"fact": REPLACEMENT, "about": "garden"}),
        ({"facts": [POT, "tea"]}, {"facts": [REPLACEMENT, "tea"]}),
        ({"of": {"it": POT}, "n": 1}, {"of": {"it": REPLACEMENT}, "n": 1}),
        ({"gate": "blue", "code": "pot"}, {"result": REPLACEMENT}),
        ({"gate code": True}, {"result": REPLACEMENT}),
        ({"city": "Rome"}, {"city": "Rome"}),
    ],
)
def test_arguments_and_results_of_tools(args: dict, left: dict) -> None:
    without = redacted(event_of(call(args)), says)
    (part,) = without["content"]["parts"]
    assert part["function_call"] == {"id": "call-1", "name": "remember", "args": left}
    result = types.FunctionResponse(id="call-1", name="remember", response=args)
    without = redacted(event_of(types.Part(function_response=result)), says)
    (part,) = without["content"]["parts"]
    assert part["function_response"]["response"] == left


def test_of_a_source_turn_all_texts_go_and_nothing_else() -> None:
    data = event_of(types.Part(text="whatever"), call({"city": "Rome", "n": 1}))
    without = redacted(data, says, wholly=True)
    text, tool = without["content"]["parts"]
    assert text == {"text": REPLACEMENT}
    assert tool["function_call"]["args"] == {"city": REPLACEMENT, "n": 1}
    assert {key: without[key] for key in data if key != "content"} == {
        key: data[key] for key in data if key != "content"
    }


@pytest.mark.parametrize("wholly", [False, True])
def test_a_thought_that_says_it_goes_with_its_signature(wholly: bool) -> None:
    thoughts = [
        types.Part(text=words, thought=True, thought_signature=b"signed")
        for words in (f"They ask whether {POT}", "They ask for tea")
    ]
    data = event_of(*thoughts, types.Part(text="Yes."))
    left = redacted(data, says, wholly=wholly)["content"]["parts"]
    assert left == ([{"text": REPLACEMENT}] if wholly else data["content"]["parts"][1:])


@given(payloads, st.booleans())
def test_an_event_stays_one_and_holds_it_no_more(args: dict, wholly: bool) -> None:
    data = event_of(types.Part(text=f"so {POT}"), call(args))
    without = redacted(data, says, wholly=wholly)
    assert POT not in json.dumps(without)
    event = Event.model_validate(without)
    assert (event.id, event.author) == (data["id"], "gaia")
    assert [one.id for one in event.get_function_calls()] == ["call-1"]
    assert redacted(without, says, wholly=wholly) == without


async def test_turns_that_are_spared_and_other_people_stay(new_home, tmp_path) -> None:
    database = opened(new_home(tmp_path / "home"))
    users = Users(database, FakeClock())
    ada, bob = [(await users.create(name, Role.OWNER)).user_id for name in ("Ada", "Bob")]
    theirs, other = SessionKey(ada, "fake", "ada", 1), SessionKey(bob, "fake", "bob", 1)
    for key in (theirs, other):
        for turn_id in ("old", "new"):
            await database.write(add_turn, key, turn_id, POT, "I see")
    what = Redaction(ada, says, frozenset(), everything=False, inbox_id=0, since=NOW)
    await redact_sessions(database, what, spared=frozenset({"new"}))
    assert await texts(database, theirs) == [REPLACEMENT, "I see", POT, "I see"]
    assert await texts(database, other) == [POT, "I see"] * 2

    what = Redaction(ada, says, frozenset(), everything=True, inbox_id=0, since=NOW)
    await redact_sessions(database, what, spared=frozenset({"new"}))
    assert await texts(database, theirs) == [POT, "I see"]
    await redact_sessions(database, what, spared=frozenset())
    assert [one.user_id for one in await database.read(sessions.listed)] == [bob]
    await database.close()


async def texts(database: Database, key: SessionKey) -> list[str]:
    stored = await database.read(sessions.events, key.user_id, key.session_id)
    return [event_text(event) for event in read_events(stored)]
