from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from gaia.messages import AttachmentKind, RepliedTo
from gaia.testing.clock import until
from tests.servers.telegram import contents

if TYPE_CHECKING:
    from conftest import Rig

ADA, GROUP = 100, -500


async def test_each_edit_replaces_the_message_once(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    written = ada.writes("tea")
    ada.edits(written, "coffee")
    ada.edits(written, "water")
    tea, coffee, water = await rig.until_received(3)
    assert [tea.text, coffee.text, water.text] == ["tea", "coffee", "water"]
    assert coffee.edit_of == water.edit_of == tea.provider_message_id
    await rig.telegram.until_polled()
    rig.telegram.redeliver()
    await rig.telegram.until_polled()
    assert len(rig.received) == 3


async def test_an_edit_that_nobody_sees_is_none(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada])
    written = ada.writes("tea")
    others = ada.writes(f"@{rig.telegram.bot_username} tea?", to=group)
    for each in (written, others):
        # As when the first reaction is put on it.
        rig.telegram.world.updates.add("edited_message", each.message)
    await rig.until_received(2)
    await rig.telegram.until_polled()
    assert rig.texts == ["tea", "tea?"]
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


async def test_a_caption_comes_with_its_photo(rig: Rig) -> None:
    rig.telegram.person(ADA).sends_photo(caption="my cat")
    (inbound,) = await rig.until_received(1)
    assert inbound.text == "my cat"
    assert [each.kind for each in inbound.attachments] == [AttachmentKind.PHOTO]


async def test_an_album_in_a_direct_chat_has_one_name(rig: Rig) -> None:
    rig.telegram.person(ADA).sends_album([b"1", b"2", b"3"], caption="cats")
    albums = {each.album for each in await rig.until_received(3)}
    assert len(albums) == 1
    assert None not in albums


async def test_an_album_in_a_group_is_for_the_bot_as_a_whole(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada])
    ada.sends_album([b"1", b"2"], caption="cats", to=group)
    ada.sends_album([b"1", b"2", b"3"], caption=f"cats @{rig.telegram.bot_username}", to=group)
    (received,) = await rig.until_received(1)
    await until(lambda: len(rig.core.state.overheard) == 4)
    ours = [each for each in rig.core.state.overheard if each.album == received.album]
    assert (received.text, [each.text for each in ours]) == ("cats", ["", ""])


async def test_a_group_is_heard_only_when_it_speaks_to_the_bot(rig: Rig) -> None:
    ada, bot = rig.telegram.person(ADA, "Ada"), rig.telegram.bot_username
    group = rig.telegram.group(GROUP, "Family", members=[ada])
    ada.writes("dinner?", to=group)
    ada.writes(f"@{bot} what time is it?", to=group)
    ada.writes(f"/help@{bot}", to=group)
    ada.writes("/help@other_bot", to=group)
    await rig.send(GROUP, "It is noon.")
    ada.replies(rig.telegram.messages(group)[0], "thank you")
    received = await rig.until_received(3)
    await rig.telegram.until_polled()
    assert [each.text for each in received] == ["what time is it?", "/help", "thank you"]
    assert {str(each.address) for each in received} == {f"telegram:{GROUP}"}
    assert received[0].sender_name == "Ada"
    assert received[0].chat_title == "Family"
    assert received[2].notes == ('(in reply to a message of yours: "It is noon.")',)


async def test_who_writes_as_the_group_is_heard_and_a_post_of_its_channel_is_not(rig: Rig) -> None:
    bot = rig.telegram.bot_username
    group = rig.telegram.group(GROUP, is_supergroup=True)
    post = group.discusses(rig.telegram.channel(-100700).posts(f"@{bot} our news"))
    group.says(f"@{bot} one")
    group.says(f"@{bot} two", title="Chief")
    ada = rig.telegram.person(ADA, "Ada")
    ada.writes(f"@{bot} three", to=group, reply_to=post, thread=post.message_id)
    received = await rig.until_received(3)
    assert [(each.text, each.sender_name, each.author) for each in received] == [
        ("one", "anonymous admin", str(GROUP)),
        ("two", "Chief", str(GROUP)),
        ("three", "Ada", str(ADA)),
    ]
    assert {each.chat for each in received} == {str(GROUP)}
    await rig.telegram.until_polled()
    assert len(rig.received) == 3


async def test_the_words_of_a_rich_message_are_read(rig: Rig) -> None:
    text = ["Rain in ", {"type": "bold", "text": "Porto"}]
    rich = {"blocks": [{"type": "paragraph", "text": text}, {"type": "divider"}]}
    rig.telegram.person(ADA).sends({"rich_message": rich})
    (inbound,) = await rig.until_received(1)
    assert (inbound.text, inbound.notes) == ("Rain in Porto", ())


async def test_a_bot_that_got_another_name_hears_it(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    group = rig.telegram.group(GROUP, members=[ada])
    await rig.until_well()
    rig.telegram.world.bot["username"] = "Renamed_Bot"

    def asked() -> int:
        return len(rig.telegram.requests("getMe"))

    for seconds in (0, 60):
        rig.clock.advance(seconds)
        ada.writes("@renamed_bot and @bob, tea?", to=group)
        ada.writes("/help@weather_bot", to=group)
        ada.writes("@bob, coffee?", to=group)
        await rig.telegram.until_polled()
    await until(lambda: asked() == 2)
    ada.writes("@renamed_bot tea?", to=group)
    ada.writes("/help@renamed_bot", to=group)
    tea, command = await rig.until_received(2)
    assert (tea.text, command.text) == ("tea?", "/help")
    assert asked() == 2


async def test_a_reply_brings_all_of_the_message_and_the_quote_as_it_was_chosen(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    words = "It rains in Porto.\n" * 60
    ada.writes("How is it?")
    await rig.until_received(1)
    name = await rig.send(ADA, words)
    (sent,) = rig.telegram.messages(ada)
    ada.replies(sent, "all of it?")
    ada.replies(sent, "this?", quote=sent.text[:600])
    _, whole, part = await rig.until_received(3)
    assert whole.replied_to == RepliedTo(name, sent.text)
    assert part.replied_to == RepliedTo(name, sent.text, sent.text[:600].strip())


async def test_a_supergroup_goes_on_where_the_group_was(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    rig.telegram.group(GROUP, members=[ada]).becomes_supergroup(-100900, by=ada)
    await until(lambda: len(rig.core.state.moved) == 2)
    assert set(rig.core.state.moved) == {(str(GROUP), "-100900")}


async def test_who_unblocks_the_bot_can_be_reached(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    await rig.until_well()
    ada.blocks()
    ada.unblocks()
    await until(lambda: rig.core.state.reachable == [str(ADA)])


async def test_what_is_no_text_is_told(rig: Rig) -> None:
    ada = rig.telegram.person(ADA)
    ada.sends(contents.location(52.5, 13.4))
    ada.sends(contents.poll("Tea?", "Yes", "No"))
    ada.forwards(ada.writes("the word"), author="Bob")
    place, poll, _, forward = await rig.until_received(4)
    assert place.notes == ("(location: latitude 52.5, longitude 13.4)",)
    assert poll.notes == ('(poll "Tea?", options: "Yes"; "No")',)
    assert forward.notes == ('(forwarded from "Bob")',)
