"""What people do arrives as python-telegram-bot understands it."""

from __future__ import annotations

import pytest
from telegram import Bot, Message, Update
from telegram.error import BadRequest, Forbidden, TelegramError

from tests.servers.telegram import TelegramServer, contents


async def updates(bot: Bot) -> tuple[Update, ...]:
    return await bot.get_updates(allowed_updates=[])


async def message(bot: Bot) -> Message:
    (update,) = await updates(bot)
    assert update.message is not None
    return update.message


async def test_an_edit_keeps_the_id(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    written = ada.writes("/help me")
    assert ada.edits(written, "help me").text == "help me"
    first, second = await updates(bot)
    assert first.message is not None
    assert second.edited_message is not None
    assert second.edited_message.message_id == first.message.message_id
    assert (first.message.text, second.edited_message.text) == ("/help me", "help me")
    assert second.edited_message.entities == ()


async def test_a_caption_is_edited_as_a_caption(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    ada.edits(ada.sends_photo(caption="cat"), "dog")
    edited = (await updates(bot))[1].edited_message
    assert edited is not None
    assert (edited.caption, edited.text) == ("dog", None)


async def test_an_album_is_a_message_for_each_photo(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100).sends_album([b"one", b"two", b"three"], caption="cats")
    messages = [each.message for each in await updates(bot) if each.message is not None]
    assert len({each.media_group_id for each in messages}) == 1
    assert [each.caption for each in messages] == ["cats", None, None]


async def test_a_file_is_downloaded(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100).sends_document(b"content", "a b.txt", caption="read")
    document = (await message(bot)).document
    assert document is not None
    assert (document.file_name, document.file_size) == ("a b.txt", 7)
    file = await document.get_file()
    assert bytes(await file.download_as_bytearray()) == b"content"


async def test_a_file_too_big_for_bots_is_refused(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100).sends_document(b"x", size=20_000_001)
    document = (await message(bot)).document
    assert document is not None
    with pytest.raises(BadRequest, match="File is too big"):
        await document.get_file()


async def test_a_lost_file_cannot_be_downloaded(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100).sends_voice()
    voice = (await message(bot)).voice
    assert voice is not None
    file = await voice.get_file()
    telegram.world.files.lose(voice.file_id)
    with pytest.raises(TelegramError, match="Not Found"):
        await file.download_as_bytearray()


@pytest.mark.parametrize(
    "kind",
    [
        "location",
        "venue",
        "contact",
        "dice",
        "poll",
        "sticker",
        "audio",
        "video",
        "video_note",
        "animation",
    ],
)
async def test_every_kind_of_content_is_understood(
    bot: Bot, telegram: TelegramServer, kind: str
) -> None:
    files = telegram.world.files
    content = {
        "location": contents.location(52.5, 13.4),
        "venue": contents.venue(52.5, 13.4, "Café", "Street 1"),
        "contact": contents.contact("+491234", "Bob", 200),
        "dice": contents.dice(),
        "poll": contents.poll("Tea?", "Yes", "No"),
        "sticker": contents.sticker(files),
        "audio": contents.audio(files, b"ID3", caption="song"),
        "video": contents.video(files, b"mp4", "film"),
        "video_note": contents.video_note(files, b"mp4"),
        "animation": contents.animation(files, b"gif"),
    }[kind]
    telegram.person(100).sends(content)
    assert getattr(await message(bot), kind) is not None


async def test_a_forward_tells_where_it_is_from(bot: Bot, telegram: TelegramServer) -> None:
    ada, bob = telegram.person(100, "Ada"), telegram.person(200, "Bob")
    written = bob.writes("secret")
    post = telegram.channel(-1009).posts("news")
    ada.forwards(written)
    ada.forwards(written, author="Somebody")
    ada.forwards(post)
    forwarded = [each.message for each in (await updates(bot))[2:] if each.message is not None]
    assert [each.text for each in forwarded] == ["secret", "secret", "news"]
    kinds = [each.forward_origin.type for each in forwarded if each.forward_origin is not None]
    assert kinds == ["user", "hidden_user", "channel"]


async def test_a_reply_can_quote(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    said = await bot.send_message(100, "😀 one two")
    ada.replies(telegram.messages(ada)[0], "which?", quote="two")
    reply = await message(bot)
    assert reply.reply_to_message is not None
    assert reply.reply_to_message.message_id == said.message_id
    assert reply.quote is not None
    assert (reply.quote.text, reply.quote.position) == ("two", 7)


async def test_who_blocks_the_bot_cannot_be_written_to(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    ada.blocks()
    with pytest.raises(Forbidden, match="bot was blocked by the user"):
        await bot.send_message(100, "hello?")
    ada.unblocks()
    await bot.send_message(100, "hello again")
    changes = [each.my_chat_member for each in await updates(bot) if each.my_chat_member]
    assert [(each.old_chat_member.status, each.new_chat_member.status) for each in changes] == [
        ("member", "kicked"),
        ("kicked", "member"),
    ]
    assert telegram.texts(ada) == ["hello again"]


async def test_only_wanted_kinds_of_updates_are_queued(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    await bot.get_updates(allowed_updates=["message"])
    ada.edits(ada.writes("one"), "two")
    assert len(await bot.get_updates()) == 1


async def test_ids_of_updates_rise(bot: Bot, telegram: TelegramServer) -> None:
    ada, bob = telegram.person(100), telegram.person(200)
    for person in (ada, bob, ada):
        person.writes("x")
    ids = [each.update_id for each in await updates(bot)]
    assert ids == sorted(set(ids))
