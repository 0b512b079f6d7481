"""From an update to an event: who wrote what, and where. Pure.

Decided here, beyond what Telegram's own terms say:

- A group is a user of its own; an administrator who writes as the group is one of it.
- Other bots, channels that write in groups, and what a linked channel posts there
  are not people: they are ignored, so that two bots never talk without end.
- What people write to a channel in its direct messages is ignored: Telegram has all of
  them in one group, where each reads their own alone.
- An edit is one if there are words in it: a live location that moves says nothing
  new. Whether the words are new ones, the core tells. One without a time changed nothing
  that people see: Telegram tells so of a reaction, or of what it does to a message itself.
- What was forwarded, or written by another bot through which somebody sent it, is
  somebody else's. A command in it is not given: it stands in quotes.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from telegram import (
    CallbackQuery,
    Chat,
    ChatMember,
    ChatMemberUpdated,
    MaybeInaccessibleMessage,
    Message,
    Update,
    User,
)

from channels.base.intake import LONGEST_NAME, clean, one_line, quoted_if_command, unknown_note
from channels.telegram.content import content_of, context_of, is_of_others
from channels.telegram.events import (
    CHANNEL,
    ChatKey,
    Event,
    Ignored,
    Migrated,
    Overheard,
    Pressed,
    Unblocked,
    Written,
    callback_name,
    edit_name,
    message_name,
)
from channels.telegram.words import Me, hear, words_of
from gaia.messages import Address, Inbound

ALLOWED_UPDATES = ("message", "edited_message", "callback_query", "my_chat_member")
"""The kinds of updates that `translate` knows; Telegram is asked for no others."""

ANONYMOUS = "anonymous admin"
"""Who writes in a group's name without a title. By the group's name all that they say of
themselves would be said of the group."""

# fmt: off
_SERVICE_FIELDS = (
    "boost_added", "channel_chat_created", "chat_background_set", "chat_owner_changed",
    "chat_owner_left", "checklist_tasks_added", "checklist_tasks_done", "connected_website",
    "delete_chat_photo", "direct_message_price_changed", "forum_topic_closed",
    "forum_topic_created", "forum_topic_edited", "forum_topic_reopened",
    "general_forum_topic_hidden", "general_forum_topic_unhidden", "gift_upgrade_sent",
    "giveaway_completed", "giveaway_created", "group_chat_created", "left_chat_member",
    "managed_bot_created", "message_auto_delete_timer_changed", "migrate_from_chat_id",
    "migrate_to_chat_id", "new_chat_members", "new_chat_photo", "new_chat_title",
    "paid_message_price_changed", "pinned_message", "poll_option_added",
    "poll_option_deleted", "proximity_alert_triggered", "refunded_payment",
    "successful_payment", "suggested_post_approval_failed", "suggested_post_approved",
    "suggested_post_declined", "suggested_post_paid", "suggested_post_refunded",
    "supergroup_chat_created", "video_chat_ended", "video_chat_participants_invited",
    "video_chat_scheduled", "video_chat_started", "write_access_allowed",
)
# fmt: on
"""The fields that tell what happened in a chat: one is set in a message that nobody said."""


def translate(update: Update, me: Me, now: datetime) -> Event:
    """Translate an update, which arrives `now`, into an event.

    Raises whatever an update that is not as Telegram promises makes it raise.
    """
    if update.message is not None:
        return _message(update.message, me)
    if update.edited_message is not None:
        return _edit(update.edited_message, me, update.update_id)
    if update.callback_query is not None:
        return _callback(update.callback_query, now)
    if update.my_chat_member is not None:
        return _membership(update.my_chat_member)
    return Ignored("of a kind that was not asked for")


def _message(message: Message, me: Me) -> Event:
    chat = message.chat
    if message.migrate_to_chat_id is not None:
        return Migrated(str(chat.id), str(message.migrate_to_chat_id))
    if message.migrate_from_chat_id is not None:
        return Migrated(str(message.migrate_from_chat_id), str(chat.id))
    if any(getattr(message, name) for name in _SERVICE_FIELDS):
        return Ignored("tells what happened in the chat")
    return _said(message, me, message_name(_whole(chat.id), _whole(message.message_id)))


def _edit(message: Message, me: Me, update_id: int) -> Event:
    if not (message.text or message.caption):
        return Ignored("an edit without words")
    if message.edit_date is None:
        return Ignored("an edit that nobody sees")
    chat_id, message_id = _whole(message.chat.id), _whole(message.message_id)
    name = edit_name(chat_id, message_id, _whole(update_id))
    return _said(message, me, name, edit_of=message_name(chat_id, message_id))


def _said(message: Message, me: Me, name: str, *, edit_of: str | None = None) -> Event:
    if message.chat.is_direct_messages:
        return Ignored("to a channel")
    if not _is_by_a_person(message):
        return Ignored("by a bot or a channel")
    if message.chat.type == Chat.PRIVATE:
        return Written(_inbound(message, me, name, words_of(message), edit_of))
    heard = hear(message, me)
    inbound = _inbound(message, me, name, heard.text, edit_of)
    if heard.is_addressed:
        return Written(inbound)
    is_command = inbound.text.startswith("/")
    is_text = not (is_command or edit_of or inbound.attachments or inbound.notes)
    if is_text or heard.is_for_any_bot or inbound.album is not None:
        return Overheard(replace(inbound, is_overheard=True))
    return Ignored("not for the bot")


def _inbound(message: Message, me: Me, name: str, text: str, edit_of: str | None) -> Inbound:
    chat, sender = message.chat, message.from_user
    context, content = context_of(message, me), content_of(message)
    direct = chat.type == Chat.PRIVATE
    is_forwarded = is_of_others(message, me)
    if is_forwarded:
        text = quoted_if_command(text)
    return Inbound(
        address=_address(chat, sender),
        chat=str(ChatKey(_whole(chat.id), _topic(message))),
        provider_message_id=name,
        text=text,
        sent_at=_time(message.edit_date if edit_of else message.date),
        direct=direct,
        sender_name=_sender_name(message),
        chat_title=None if direct else _name(chat.title),
        notes=(
            *context.notes,
            *content.notes,
            *unknown_note(text, content, _unknown_kinds(message)),
        ),
        replied_to=context.replied_to,
        attachments=(*content.attachments, *context.attachments),
        album=None if message.media_group_id is None else clean(message.media_group_id),
        edit_of=edit_of,
        is_forwarded=is_forwarded,
        author=None if direct else _author(message),
    )


def _unknown_kinds(message: Message) -> str:
    """Name the fields that the library does not know."""
    kinds = sorted(name.replace("_", " ") for name in message.api_kwargs or ())
    return one_line(", ".join(kinds), LONGEST_NAME)


def _is_by_a_person(message: Message) -> bool:
    if message.is_automatic_forward:
        return False
    if message.sender_chat is not None:
        return message.sender_chat.id == message.chat.id
    return message.from_user is not None and not message.from_user.is_bot


def _callback(query: CallbackQuery, now: datetime) -> Event:
    message = query.message
    if message is None or not query.data:
        return Ignored("a button that is not gaia's")
    chat = message.chat
    direct = chat.type == Chat.PRIVATE
    inbound = Inbound(
        address=_address(chat, query.from_user),
        chat=str(ChatKey(_whole(chat.id), _topic(message))),
        provider_message_id=callback_name(clean(query.id)),
        text=clean(query.data),
        sent_at=now,
        direct=direct,
        sender_name=_name(query.from_user.full_name),
        chat_title=None if direct else _name(chat.title),
        is_pressed=True,
        author=None if direct else str(_whole(query.from_user.id)),
    )
    return Pressed(
        inbound, clean(query.id), chat.id, _whole(message.message_id), _label(message, query.data)
    )


def _label(message: MaybeInaccessibleMessage, data: str) -> str:
    """Return what stands on the button with that data."""
    markup = message.reply_markup if isinstance(message, Message) else None
    rows = markup.inline_keyboard if markup is not None else ()
    labels = (button.text for row in rows for button in row if button.callback_data == data)
    return one_line(next(labels, ""), LONGEST_NAME)


def _membership(change: ChatMemberUpdated) -> Event:
    was, now = change.old_chat_member.status, change.new_chat_member.status
    if change.chat.type != Chat.PRIVATE:
        return Ignored("its standing in a group")
    if was == ChatMember.BANNED and now == ChatMember.MEMBER:
        return Unblocked(str(_whole(change.chat.id)))
    return Ignored("somebody blocked the bot")


def _address(chat: Chat, sender: User | None) -> Address:
    if chat.type == Chat.PRIVATE and sender is not None:
        return Address(CHANNEL, str(_whole(sender.id)))
    return Address(CHANNEL, str(_whole(chat.id)))


def _topic(message: MaybeInaccessibleMessage) -> int | None:
    if isinstance(message, Message) and message.is_topic_message:
        return None if message.message_thread_id is None else _whole(message.message_thread_id)
    return None


def _author(message: Message) -> str | None:
    """Return who wrote in a group: the group itself for an admin who writes in its name."""
    writer = message.sender_chat or message.from_user
    return None if writer is None else str(_whole(writer.id))


def _sender_name(message: Message) -> str | None:
    if message.sender_chat is not None:
        return _name(message.author_signature) or ANONYMOUS
    return _name(message.from_user.full_name) if message.from_user is not None else None


def _name(name: str | None) -> str | None:
    return None if name is None else one_line(name, LONGEST_NAME) or None


def _time(at: datetime | None) -> datetime:
    """Return a time that must be there, which the library passes on as it came."""
    if at is None:
        raise TypeError("a message has no time")
    return at


def _whole(number: object) -> int:
    """Return an id, which the library passes on as it came."""
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError(f"an id is a {type(number).__name__}")
    return number
