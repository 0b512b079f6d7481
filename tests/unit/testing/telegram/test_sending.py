"""What the bot sends reaches people as Telegram would show it."""

from __future__ import annotations

import pytest
from telegram import (
    Bot,
    ForceReply,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    MessageEntity,
    ReplyParameters,
)
from telegram.error import BadRequest

from tests.servers.telegram import TelegramServer


async def test_a_message_is_kept_with_text_entities_and_markup(
    bot: Bot, telegram: TelegramServer
) -> None:
    ada = telegram.person(100)
    html = '<b>bold</b> <a href="https://a.b">link</a> &lt;x&gt; '
    said = await bot.send_message(
        100, html, parse_mode="HTML", link_preview_options=LinkPreviewOptions(is_disabled=True)
    )
    (sent,) = telegram.messages(ada)
    assert (sent.text, sent.html) == ("bold link <x>", html)
    assert sent.entities == [
        {"type": "bold", "offset": 0, "length": 4},
        {"type": "text_link", "offset": 5, "length": 4, "url": "https://a.b"},
    ]
    assert said.text == sent.text
    assert [each.type for each in said.entities] == ["bold", "text_link"]
    assert sent.acknowledged
    assert telegram.violations == ()


async def test_the_limit_counts_units_of_the_rendered_text(
    bot: Bot, telegram: TelegramServer
) -> None:
    telegram.person(100)
    await bot.send_message(100, f"<b>{'😀' * 2048}</b>", parse_mode="HTML")
    with pytest.raises(BadRequest, match="Message is too long"):
        await bot.send_message(100, "x" * 4097)
    assert len(telegram.messages()) == 1


async def test_given_entities_are_kept(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100)
    entity = MessageEntity(MessageEntity.TEXT_LINK, 1, 2, url="https://a.b")
    await bot.send_message(100, " ab", entities=[entity])
    (sent,) = telegram.messages(100)
    assert sent.text == "ab"
    assert sent.entities == [{"type": "text_link", "offset": 0, "length": 2, "url": "https://a.b"}]


async def test_bad_markup_is_refused_but_no_violation(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100)
    with pytest.raises(BadRequest, match="Can't parse entities: unclosed start tag"):
        await bot.send_message(100, "a <b", parse_mode="HTML")
    assert telegram.violations == ()


async def test_a_reply_shows_what_it_answers(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    asked = ada.writes("again?", reply_to=ada.writes("first"))
    said = await bot.send_message(100, "yes", reply_parameters=ReplyParameters(asked.message_id))
    assert said.reply_to_message is not None
    assert said.reply_to_message.text == "again?"
    assert said.reply_to_message.reply_to_message is None
    assert telegram.messages(ada)[0].reply_to == asked.message_id


async def test_a_reply_to_nothing_is_refused_unless_it_may_stand_alone(
    bot: Bot, telegram: TelegramServer
) -> None:
    telegram.person(100)
    with pytest.raises(BadRequest, match="Message to be replied not found"):
        await bot.send_message(100, "x", reply_parameters=ReplyParameters(77))
    alone = ReplyParameters(77, allow_sending_without_reply=True)
    assert (await bot.send_message(100, "x", reply_parameters=alone)).reply_to_message is None


async def test_a_pressed_button_is_answered_once(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    yes = InlineKeyboardButton("Yes", callback_data="/forget yes")
    await bot.send_message(100, "Sure?", reply_markup=InlineKeyboardMarkup([[yes]]))
    query_id = ada.presses(telegram.messages(ada)[0], "Yes")
    (update,) = await bot.get_updates()
    query = update.callback_query
    assert query is not None
    assert (query.id, query.data) == (query_id, "/forget yes")
    assert telegram.answer_to(query_id) is None
    await query.answer("done")
    answer = telegram.answer_to(query_id)
    assert answer is not None
    assert answer["text"] == "done"
    with pytest.raises(BadRequest, match="Query is too old"):
        await query.answer()


@pytest.mark.parametrize("size", [0, 65])
async def test_data_of_a_button_has_1_to_64_bytes(
    bot: Bot, telegram: TelegramServer, size: int
) -> None:
    telegram.person(100)
    button = InlineKeyboardButton("Yes", callback_data="é" * (size // 2) + "x" * (size % 2))
    with pytest.raises(BadRequest, match="Button_data_invalid"):
        await bot.send_message(100, "Sure?", reply_markup=InlineKeyboardMarkup([[button]]))
    assert len(telegram.violations) == 1


async def test_a_button_must_do_something(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100)
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Yes")]])
    with pytest.raises(BadRequest, match="Text buttons are unallowed in the inline keyboard"):
        await bot.send_message(100, "Sure?", reply_markup=keyboard)


async def test_a_keyboard_of_another_kind_is_taken(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100)
    await bot.send_message(100, "Your name?", reply_markup=ForceReply(selective=True))
    assert telegram.messages(100)[0].buttons == {}
    assert telegram.violations == ()


async def test_an_edit_replaces_text_and_buttons(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="y")]])
    said = await bot.send_message(100, "Sure?", reply_markup=keyboard)
    await said.edit_text("<i>Done.</i>", parse_mode="HTML")
    (sent,) = telegram.messages(ada)
    assert (sent.text, sent.buttons, sent.edits) == ("Done.", {}, 1)
    await said.edit_reply_markup(keyboard)
    assert telegram.messages(ada)[0].buttons == {"Yes": "y"}
    assert telegram.violations == ()


async def test_an_edit_that_changes_nothing_is_refused(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100)
    said = await bot.send_message(100, "same")
    with pytest.raises(BadRequest, match="Message is not modified"):
        await said.edit_text("same")
    await said.edit_text("other")
    with pytest.raises(BadRequest, match="Message is not modified"):
        await said.edit_text("other")


async def test_only_messages_of_the_bot_can_be_edited(bot: Bot, telegram: TelegramServer) -> None:
    written = telegram.person(100).writes("mine")
    with pytest.raises(BadRequest, match="Message can't be edited"):
        await bot.edit_message_text("yours", 100, written.message_id)
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await bot.edit_message_text("yours", 100, 999)


async def test_typing_is_counted_for_each_chat(bot: Bot, telegram: TelegramServer) -> None:
    ada, bob = telegram.person(100), telegram.person(200)
    await bot.send_chat_action(100, "typing")
    await bot.send_chat_action(100, "typing")
    assert (telegram.actions(ada), telegram.actions(bob)) == (2, 0)


async def test_menus_are_kept_for_each_scope(bot: Bot, telegram: TelegramServer) -> None:
    telegram.person(100)
    await bot.set_my_commands([("help", "What I can do")])
    await bot.set_my_commands([("users", "Who is who")], scope={"type": "chat", "chat_id": 100})
    assert telegram.commands() == {"help": "What I can do"}
    scope = {"type": "chat", "chat_id": 100}
    assert telegram.commands(scope) == {"users": "Who is who"}
    await bot.delete_my_commands(scope=scope)
    assert telegram.commands(scope) == {}
    assert [each.command for each in await bot.get_my_commands()] == ["help"]


async def test_files_can_be_sent(bot: Bot, telegram: TelegramServer) -> None:
    ada = telegram.person(100)
    await bot.send_document(100, b"notes", caption="<b>all</b>", parse_mode="HTML", filename="a.md")
    await bot.send_photo(100, b"\x89PNG", caption="cat")
    document, photo = telegram.messages(ada)
    assert (document.text, document.html) == ("all", "<b>all</b>")
    assert (photo.text, photo.html) == ("cat", "")
    assert telegram.violations == ()


async def test_a_chat_can_be_asked_for(bot: Bot, telegram: TelegramServer) -> None:
    telegram.group(-5, "Home")
    assert (await bot.get_chat(-5)).title == "Home"
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.get_chat(-6)
