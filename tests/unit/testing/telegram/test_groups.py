"""Groups, topics, migration and channels."""

from __future__ import annotations

import pytest
from telegram import Bot
from telegram.error import BadRequest, ChatMigrated, Forbidden

from tests.servers.telegram import TelegramServer


async def test_a_group_hears_mentions_and_commands(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    home = telegram.group(-5, "Home", members=[ada])
    ada.writes(f"@{telegram.bot_username} hi", to=home)
    ada.writes(f"/help@{telegram.bot_username}", to=home)
    messages = [each.message for each in await bot.get_updates() if each.message is not None]
    assert {(each.chat.type, each.chat.title) for each in messages} == {("group", "Home")}
    assert [each.entities[0].type for each in messages] == ["mention", "bot_command"]


async def test_a_reply_in_a_group_is_to_the_bot(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    home = telegram.group(-5, members=[ada])
    await bot.send_message(-5, "hello all")
    ada.replies(telegram.messages(home)[0], "hello you")
    (update,) = await bot.get_updates()
    assert update.message is not None
    assert update.message.reply_to_message is not None
    assert update.message.reply_to_message.from_user == bot.bot


async def test_topics_are_kept_apart(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    forum = telegram.group(-1005, is_forum=True, members=[ada])
    first, second = forum.opens_topic(ada, "First"), forum.opens_topic(ada, "Second")
    ada.writes("in the second", to=forum, thread=second)
    *_, update = await bot.get_updates()
    assert update.message is not None
    assert update.message.is_topic_message
    assert update.message.message_thread_id == second
    await bot.send_message(-1005, "in the first", message_thread_id=first)
    assert telegram.texts(forum, thread=first) == ["in the first"]
    assert telegram.texts(forum, thread=second) == []
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(-1005, "nowhere", message_thread_id=999)
    assert telegram.violations == ()


async def test_a_group_that_became_a_supergroup_says_so(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    home = telegram.group(-5, "Home", members=[ada])
    larger = home.becomes_supergroup(-1005, by=ada)
    old, new = [each.message for each in await bot.get_updates()]
    assert old is not None
    assert new is not None
    assert (old.chat.id, old.migrate_to_chat_id) == (-5, -1005)
    assert (new.chat.id, new.migrate_from_chat_id) == (-1005, -5)
    with pytest.raises(ChatMigrated) as caught:
        await bot.send_message(-5, "x")
    assert caught.value.new_chat_id == -1005
    await bot.send_message(-1005, "x")
    assert telegram.texts(larger) == ["x"]


async def test_ids_of_messages_repeat_between_supergroups(telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    groups = [telegram.group(chat_id, is_supergroup=True) for chat_id in (-1001, -1002)]
    first, second = [ada.writes("x", to=each) for each in groups]
    assert first.message_id == second.message_id
    assert ada.writes("x").message_id != telegram.person(200).writes("x").message_id


async def test_a_bot_that_was_expelled_cannot_write(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    home = telegram.group(-5, members=[ada])
    home.expels_bot(ada)
    with pytest.raises(Forbidden, match="bot was kicked from the group chat"):
        await bot.send_message(-5, "x")
    home.invites_bot(ada)
    await bot.send_message(-5, "x")
    assert telegram.texts(home) == ["x"]


async def test_members_come_and_go(bot: Bot, telegram: TelegramServer) -> None:
    bob = telegram.person(200, "Bob")
    home = telegram.group(-5)
    home.welcomes(bob)
    home.loses(bob)
    came, went = [each.message for each in await bot.get_updates()]
    assert came is not None
    assert went is not None
    assert [each.first_name for each in came.new_chat_members] == ["Bob"]
    assert went.left_chat_member is not None
    assert went.left_chat_member.id == 200


async def test_a_channel_posts_and_edits(bot: Bot, telegram: TelegramServer) -> None:
    channel = telegram.channel(-1009, "News")
    channel.edits(channel.posts("one"), "two")
    first, second = await bot.get_updates()
    assert first.channel_post is not None
    assert second.edited_channel_post is not None
    assert (first.channel_post.text, second.edited_channel_post.text) == ("one", "two")
    assert first.effective_user is None
