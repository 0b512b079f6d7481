"""What is said in a group, not to gaia, and is a part of what is: of an album, or a cut text."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from gaia.messages import Attachment, AttachmentKind, ReceiptKind
from gaia.store.pastes import FULL, MAY_GO_ON, PART_SETTLE
from gaia.store.tables import InboxRow
from tests.harness.letting_in import invite

PHOTO = Attachment(AttachmentKind.PHOTO, "file-1", "image/jpeg")
HERE = {"direct": False, "author": "ada", "sender_name": "Ada"}
PART = {**HERE, "attachments": (PHOTO,), "album": "g1"}
LONG = "please read: " + "x" * (FULL - 13)


async def overhear(core, text, **fields):
    receipt = await core.channel.say(text, is_overheard=True, **fields)
    return receipt.kind


async def messages(core) -> int:
    with core.database.reading() as session:
        return session.scalar(select(func.count()).select_from(InboxRow)) or 0


async def answer(core) -> str:
    await core.clock.until_sleeping()
    core.clock.advance(4)
    (sent,) = await core.channel.until_sent(1)
    return sent.text


async def test_an_album_is_answered_as_a_whole_whichever_process_hears_a_part(running_core):
    async with running_core() as core:
        for name in ("m1", "m2"):
            kind = await overhear(core, "", provider_message_id=name, **PART)
            assert kind is ReceiptKind.OVERHEARD
        assert core.channel.sent == []
    async with running_core() as core:
        await core.channel.say("cats?", provider_message_id="m3", **PART)
        kind = await overhear(core, "", provider_message_id="m4", **PART)
        assert kind is ReceiptKind.ACCEPTED
        assert (await answer(core)).count("[photo, ") == 4


@pytest.mark.parametrize("words", ["cats?", "are these cats?"])
async def test_an_album_that_names_gaia_by_an_edit_is_answered_once(running_core, words):
    async with running_core() as core:
        await overhear(core, "cats?", provider_message_id="m1", **PART)
        await overhear(core, "", provider_message_id="m2", **PART)
        edit = {"provider_message_id": "m1:edit", "edit_of": "m1"}
        receipt = await core.channel.say(words, **PART, **edit)
        assert receipt.kind is ReceiptKind.ACCEPTED
        told = await answer(core)
        assert words in told
        assert told.count("[photo, ") == 2
        assert "corrects" not in told
        receipt = await core.channel.say(words, **PART, **edit)
        assert receipt.kind is ReceiptKind.DUPLICATE


async def test_an_album_that_is_not_for_gaia_is_kept_for_a_moment(running_core):
    async with running_core() as core:
        await core.say("hello", **HERE)
        await overhear(core, "our cats", **PART)
        assert await messages(core) == 2
        core.clock.advance(61)
        await overhear(core, "our dogs", **{**PART, "album": "g2"})
        assert await messages(core) == 2
        assert "cats" not in await core.say("what do you see?", **HERE)


async def test_a_command_that_another_bot_may_know_is_left_to_it(running_core):
    async with running_core() as core:
        assert await overhear(core, "/weather", **HERE) is ReceiptKind.OVERHEARD
        assert await messages(core) == 0
        await overhear(core, "/remember tea", **HERE)
        await overhear(core, "/rember tea", **HERE)
        kept, refused = await core.channel.until_sent(2)
        assert "tea" in kept.text
        assert "Did you mean /remember?" in refused.text


@pytest.mark.parametrize("command", ["/start", "/pair", "/link"])
async def test_a_group_that_is_not_known_is_let_in_by_a_code_behind_a_command(
    running_core, command
):
    async with running_core() as core:
        code = await invite(core, name="Family")
        text = f"{command} {code}"
        assert await overhear(core, text, sender="family", **HERE) is ReceiptKind.ACCEPTED


async def test_what_is_overheard_counts_against_no_limit(running_core):
    async with running_core() as core:
        for number in range(100):
            await overhear(core, "", **{**PART, "album": f"g{number}"})
        assert await core.say("hello", **HERE) == "echo: Ada: hello"


async def test_a_long_text_is_taken_to_its_end(running_core):
    async with running_core(settles=True) as core:
        await core.channel.say(LONG, **HERE)
        await overhear(core, "y" * FULL, **HERE)
        assert await overhear(core, "/the end", **HERE) is ReceiptKind.ACCEPTED
        told = await answer(core)
    assert told.endswith("y/the end")
    assert MAY_GO_ON not in told


async def test_the_model_is_told_that_a_text_may_go_on(running_core):
    async with running_core(settles=True) as core:
        await core.channel.say(LONG, **HERE)
        assert MAY_GO_ON in await answer(core)


@pytest.mark.parametrize(
    ("said", "later", "author"),
    [("please read", 0, "ada"), (LONG, PART_SETTLE.total_seconds(), "ada"), (LONG, 0, "bob")],
    ids=["a short text", "a pause", "somebody else"],
)
async def test_what_goes_on_with_nothing_is_left_out(running_core, said, later, author):
    async with running_core(settles=True) as core:
        await core.channel.say(said, **HERE)
        core.clock.advance(later)
        kind = await overhear(core, "by the way", **{**HERE, "author": author})
        assert kind is ReceiptKind.OVERHEARD
        assert await messages(core) == 1


async def test_a_strangers_group_leaves_no_trace(running_core):
    async with running_core() as core:
        for fields in (HERE, PART):
            kind = await overhear(core, "hi", sender="eve", **fields)
            assert kind is ReceiptKind.OVERHEARD
        assert await messages(core) == 0
        assert core.channel.sent == []
