"""A question that asks for yes takes a yes, and nothing else does."""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from datetime import timedelta

import pytest

from gaia.core.sentences import ASKED_LONG_AGO, NOT_ANSWERED_IN_GROUP
from gaia.core.yes_or_no import answer_of
from gaia.messages import MAYBE_FORWARDED, Address, RepliedTo
from gaia.store.people.users import Role

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
        assert await core.say("yes") == ASKED_LONG_AGO
        await core.channel.until_sent(4)
        assert core.channel.sent[-1].text == "echo: yes"
        assert "I drink tea" in await core.say("/memory")


async def test_what_is_said_hours_later_is_no_word_on_the_question(running_core):
    async with running_core() as core:
        await ask_to_forget(core)
        core.clock.advance(HOUR + 1)
        assert await core.say("good evening") == "echo: good evening"
        assert await core.say("yes") == "echo: yes"


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


async def test_a_yes_that_may_have_been_forwarded_answers_nothing(running_core):
    async with running_core() as core:
        await ask_to_forget(core)
        told = await core.say("yes", is_late=True, notes=(MAYBE_FORWARDED,))
        assert "neither a yes nor a no" in told
        await core.channel.until_sent(4)
        assert "I drink tea" in await core.say("/memory")


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


async def test_a_reply_answers_what_it_replies_to(running_core):
    async with running_core() as core:
        for task in ("take the pills", "call Anna"):
            await core.say(f"/remind in 10 minutes {task}")
        core.clock.advance(10 * 60)
        await core.app.reminder_worker.say_due()
        pills, _ = (await core.channel.until_sent(4))[2:]
        assert "take the pills" in pills.text
        sent_as = core.channel.provider_id(pills.outbox_id)
        told = await core.say("done", replied_to=RepliedTo(sent_as, "Reminder"))
        assert told == "Done: “take the pills”."


async def test_a_reply_to_something_else_answers_no_question(running_core):
    async with running_core() as core:
        await core.say("Shall we go to the lake?")
        lake = core.channel.provider_id(core.channel.sent[-1].outbox_id)
        await ask_to_forget(core)
        for message_id in (lake, "theirs", None):
            await core.channel.say("yes", replied_to=RepliedTo(message_id, "the lake"))
        await core.channel.until_sent(7)
        assert "I drink tea" in await core.say("/memory")


async def test_a_clock_that_is_ahead_of_the_provider_s_keeps_no_yes_out(running_core):
    async with running_core() as core:
        await ask_to_forget(core)
        written = core.clock.now() - timedelta(seconds=20)
        assert "Forgotten: 1 memory" in await core.say("yes", sent_at=written)


async def test_in_a_group_a_reply_answers_a_reminder_and_nothing_else(running_core):
    group = {"chat": "family", "direct": False, "sender_name": "Bob", "author": "bob"}
    async with running_core(senders=("family",)) as core:
        core.channel.admins["bob"] = True
        await core.say("/remind in 10 minutes call Anna", sender="family", **group)
        core.clock.advance(10 * 60)
        await core.app.reminder_worker.say_due()
        due = (await core.channel.until_sent(2))[1]
        reply = RepliedTo(core.channel.provider_id(due.outbox_id), "Reminder")
        assert (await core.say("done", sender="family", **group)).endswith("done")
        told = await core.say("done", sender="family", replied_to=reply, **group)
        assert told == "Done: “call Anna”."
        await core.say("/remember We drink tea", sender="family", **group)
        assert "Should I forget it" in await core.say("/forget tea", sender="family", **group)
        asked = RepliedTo(core.channel.provider_id(core.channel.sent[-1].outbox_id), "Forget")
        await core.say("yes", sender="family", replied_to=asked, **group)
        await core.channel.until_sent(8)
        assert "We drink tea" in await core.say("/memory", sender="family", **group)


async def test_in_a_group_no_question_offers_to_be_answered_in_words(running_core):
    group = {"chat": "family", "direct": False, "sender_name": "Bob", "author": "bob"}
    async with running_core(senders=("family",)) as core:
        core.channel.admins["bob"] = True
        await core.say("/remember We drink tea", sender="family", **group)
        for command, number in (("/forget", 1), ("/forget tea", 2)):
            asked = await core.say(command, sender="family", **group)
            assert asked.endswith(f"Answer /forget yes {number}, within an hour.")
        told = await core.say("yes", sender="family", **group)
        assert told == NOT_ANSWERED_IN_GROUP
        await core.channel.until_sent(5)
        assert await core.say("How is the weather?", sender="family", **group) == (
            "echo: Bob: How is the weather?"
        )
        assert "Forgotten: 1" in await core.say("/forget yes 2", sender="family", **group)


async def test_in_a_group_a_yes_to_what_gaia_said_since_is_no_answer_to_a_question(running_core):
    group = {"chat": "family", "direct": False, "sender_name": "Bob", "author": "bob"}
    async with running_core(senders=("family",)) as core:
        core.channel.admins["bob"] = True
        await core.say("/remember We drink tea", sender="family", **group)
        await core.say("/forget tea", sender="family", **group)
        asked = core.channel.provider_id(core.channel.sent[-1].outbox_id)
        await core.say("Shall we go to the lake?", sender="family", **group)
        lake = core.channel.provider_id(core.channel.sent[-1].outbox_id)
        for replied in (None, RepliedTo(lake, "lake"), RepliedTo(None, "lake")):
            said = await core.say("yes", sender="family", replied_to=replied, **group)
            assert said.startswith("echo: "), replied
        to_question = RepliedTo(asked, "Forget")
        told = await core.say("yes", sender="family", replied_to=to_question, **group)
        assert told == NOT_ANSWERED_IN_GROUP


async def test_in_a_group_a_question_of_an_hour_ago_is_dropped_without_a_word(running_core):
    group = {"chat": "family", "direct": False, "sender_name": "Bob", "author": "bob"}
    async with running_core(senders=("family",)) as core:
        core.channel.admins["bob"] = True
        await core.say("/remember We drink tea", sender="family", **group)
        await core.say("/forget tea", sender="family", **group)
        core.clock.advance(HOUR + 1)
        assert await core.say("yes", sender="family", **group) == "echo: Bob: yes"


@pytest.mark.parametrize(
    "cancel", ["cancel", "no", "Cancel that reminder!", "lösche die Erinnerung"]
)
async def test_what_was_promised_is_cancelled_in_plain_words(running_core, cancel):
    async with running_core() as core:
        await core.say("remind me at 17:00 to call Bob")
        assert "Cancelled: “call Bob”." in await core.say(cancel)
        assert "There are no reminders" in await core.say("/reminders")


async def test_a_reminder_that_came_is_cancelled_or_postponed(running_core):
    async with running_core() as core:
        await core.say("/remind every day at 14:00 walk")
        core.clock.advance(2 * HOUR)
        await core.app.reminder_worker.say_due()
        await core.channel.until_sent(2)
        assert "again today at 15:00" in await core.say("postpone it by an hour")
        core.clock.advance(HOUR)
        await core.app.reminder_worker.say_due()
        await core.channel.until_sent(4)
        assert "Cancelled: “walk”." in await core.say("cancel this reminder")
        assert "There are no reminders" in await core.say("/reminders")
