"""A question that asks for yes takes a yes, and nothing else does."""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.core.yes_or_no import answer_of
from gaia.messages import Address
from gaia.store.users import Role

HOUR = 3600

YES = """
yes|Yes!|YES.|y|yes please|ok|Ja|klar|sí|Si, por favor|oui|d’accord|Sim|да|はい|是的|네|نعم|हाँ
👍|👍🏽|yes 👍|evet|tak
"""
NO = "no|No.|nein danke|non|não|нет|いいえ|不要|👎|cancel|don't|hayır|لا|아니요|never mind"
NEITHER = "yes but not the tea|yes?|no idea||👍👎|maybe|/forget yes|Yesterday|yes no|not sure"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        *((said, "yes") for said in YES.strip().replace("\n", "|").split("|")),
        *((said, "no") for said in NO.split("|")),
        *((said, None) for said in NEITHER.split("|")),
    ],
)
def test_only_what_cannot_mean_anything_else_is_an_answer(said: str, answer: str | None) -> None:
    assert answer_of(said) == answer


async def ask_to_forget(core, **where) -> str:
    await core.say("/remember I drink tea", **where)
    return await core.say("/forget tea", **where)


@pytest.mark.parametrize("yes", ["yes", "Ja!", "👍", "sí"])
async def test_a_yes_forgets(running_core, yes):
    async with running_core() as core:
        asked = await ask_to_forget(core)
        assert "Answer yes, or /forget yes 1" in asked
        assert "Forgotten: 1 memory" in await core.say(yes)
        assert "nothing in your memory" in await core.say("/memory")
        # It is answered: the next yes is for the model.
        assert await core.say("yes") == "echo: yes"


@pytest.mark.parametrize("no", ["no", "Nein", "👎", "/cancel"])
async def test_a_no_leaves_it(running_core, no):
    async with running_core() as core:
        await ask_to_forget(core)
        assert await core.say(no) == "Nothing was changed."
        assert "I drink tea" in await core.say("/memory")
        assert "There is no such open question" in await core.say("/forget yes 1")


async def test_anything_else_is_for_the_model_and_drops_the_question(running_core):
    async with running_core() as core:
        await ask_to_forget(core)
        told = await core.say("yes, but why?")
        assert told == "That was neither a yes nor a no, so I leave everything as it is."
        await core.channel.until_sent(4)
        assert core.channel.sent[3].text == "echo: yes, but why?"
        assert await core.say("yes") == "echo: yes"
        assert "I drink tea" in await core.say("/memory")


async def test_a_question_waits_for_an_hour(running_core):
    async with running_core() as core:
        await ask_to_forget(core)
        core.clock.advance(HOUR + 1)
        await core.say("yes")
        await core.channel.until_sent(4)
        assert core.channel.sent[-1].text == "echo: yes"


async def test_nobody_answers_for_somebody_else(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        await ask_to_forget(core)
        assert await core.say("yes", sender="bob", chat="bob") == "echo: yes"
        assert "I drink tea" in await core.say("/memory")


async def test_a_forwarded_yes_answers_nothing(running_core):
    async with running_core() as core:
        await ask_to_forget(core)
        told = await core.say("yes", is_forwarded=True, notes=("forwarded",))
        assert "neither a yes nor a no" in told
        await core.channel.until_sent(4)
        assert core.channel.sent[3].text.startswith("echo: forwarded\n[somebody else]")


async def test_a_yes_after_a_restart_answers_too(running_core, home):
    async with running_core() as core:
        await ask_to_forget(core)
    async with running_core() as core:
        assert "Forgotten: 1 memory" in await core.say("yes", provider_message_id="later")


async def test_two_become_one_by_a_yes(running_core):
    async with running_core(senders=("ada", "bob")) as core:
        code = (await core.say("/link")).split(": ")[1].split("\n")[0]
        asked = await core.say(f"/link {code}", sender="bob", chat="bob")
        assert "Answer yes, or /link" in asked
        assert "Done: you are ada here too" in await core.say("yes", sender="bob", chat="bob")


async def test_a_yes_lets_nobody_in_whose_request_has_not_been_seen(running_core):
    async with running_core() as core:
        ada = await core.users.resolve(Address("fake", "ada"))
        await core.users.set_role(ada, Role.OWNER)
        await core.say("hello")
        core.channel.absent.add("ada")
        await core.channel.say("let me in", sender="mallory", sender_name="Mallory")
        core.channel.absent.discard("ada")
        await core.channel.say("ok")
        core.channel.reachable("ada")
        await core.channel.until_sent(3)
        assert {each.text for each in core.channel.sent} >= {"echo: ok"}
        assert [each.name for each in await core.users.list()] == ["ada"]


async def test_a_yes_that_was_written_before_the_question_answers_nothing(running_core):
    async with running_core() as core:
        before = core.clock.now() - timedelta(minutes=1)
        await ask_to_forget(core)
        assert "leave everything as it is" in await core.say("yes", sent_at=before)
        await core.channel.until_sent(4)
        assert "I drink tea" in await core.say("/memory")
