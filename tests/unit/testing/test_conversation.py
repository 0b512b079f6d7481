from __future__ import annotations

from tests.servers.model_server import Asked, Step
from tests.servers.model_server.conversation import Message, answer_by, own_answer, usage_of
from tests.servers.model_server.script import Script, ScriptReader


def asked(*texts: str, tools: tuple[str, ...] = ()) -> Asked:
    messages = tuple(Message("user", text) for text in texts)
    return Asked(model="m", stream=False, messages=messages, tools=tools)


def test_the_last_user_text_is_echoed_without_the_context_block() -> None:
    request = asked("first", "about <context> tags\n<context>\nIt is noon.\n</context>")
    assert request.user_texts == ("first", "about <context> tags")
    assert own_answer(request).text == "echo: about <context> tags"


def test_a_name_is_looked_up_in_the_history_that_was_sent() -> None:
    assert own_answer(asked("My name is Ada.")).text == "Nice to meet you, Ada."
    assert own_answer(asked("My name is Ada.", "What's my name?")).text == "Your name is Ada."
    assert own_answer(asked("What is my name?")).text == "I don't know your name."


def test_a_tool_is_used_on_demand_and_only_when_it_was_offered() -> None:
    request = asked('use clock {"zone": "UTC"}', tools=("clock",))
    call = own_answer(request).call
    assert call is not None
    assert (call.name, call.args) == ("clock", {"zone": "UTC"})
    assert own_answer(asked("use clock")).text == "echo: use clock"


def test_a_tools_result_is_told() -> None:
    request = Asked(model="m", stream=False, messages=(Message("tool", '{"time": 12}', "clock"),))
    assert own_answer(request).text == 'clock said: {"time": 12}'


def test_a_step_overrides_the_servers_own_answer() -> None:
    assert answer_by(Step(text="scripted"), asked("hello")).text == "scripted"
    assert answer_by(Step(blocked=True), asked("hello")).blocked


def test_tokens_are_words() -> None:
    request = Asked(model="m", stream=False, system="be brief", messages=asked("a b c").messages)
    usage = usage_of(request, own_answer(request))
    assert (usage.prompt, usage.completion, usage.total) == (5, 4, 9)


def test_steps_are_used_up_in_order_and_the_endless_one_stays() -> None:
    reader = ScriptReader(Script(steps=(Step(times=2, text="a"), Step(times=None, text="b"))))
    assert [reader.next_step().text for _ in range(5)] == ["a", "a", "b", "b", "b"]
    assert ScriptReader(Script()).next_step() == Step()
