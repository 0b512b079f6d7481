"""What a message refers to: the one it replies to, or whom it forwards, as notes.

The files of a message that is replied to come along: "what is this?" below a
photo is a question about the photo.
"""

from __future__ import annotations

from telegram import (
    Message,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
)

from channels.telegram.content import LONGEST_WORDS, Content, content_of
from channels.telegram.wording import words_of
from channels.wording import one_line

NOTHING = Content((), ())


def context_of(message: Message) -> Content:
    """Notes of what the message refers to, and the files of what it replies to."""
    reply = _reply(message)
    if message.forward_origin is None:
        return reply
    note = f"(forwarded from {_origin(message.forward_origin)})"
    return Content(reply.attachments, (note, *reply.notes))


def replied_to(message: Message) -> Message | None:
    """The message that somebody chose to reply to. Within a topic, every message
    that replies to nothing has the topic's first one there."""
    replied = message.reply_to_message
    return None if replied is None or replied.forum_topic_created else replied


def _reply(message: Message) -> Content:
    quoted = f' "{one_line(message.quote.text, LONGEST_WORDS)}"' if message.quote else ""
    replied = replied_to(message)
    if replied is not None:
        content = content_of(replied)
        return Content(content.attachments, (f"(in reply to{quoted or _gist(replied, content)})",))
    if message.external_reply is not None:
        origin = _origin(message.external_reply.origin)
        return Content((), (f"(in reply to{quoted} a message of {origin} in another chat)",))
    if message.reply_to_story is not None:
        return Content((), ("(in reply to a story, which cannot be read here)",))
    return NOTHING


def _gist(replied: Message, content: Content) -> str:
    """What a message was, in a few words."""
    kinds = "".join(f" {_article(each.kind)} {each.kind}" for each in content.attachments)
    words = one_line(words_of(replied), LONGEST_WORDS)
    notes = "".join(f" {note}" for note in content.notes)
    return (kinds + (f' "{words}"' if words else "") + notes) or " a message without words"


def _article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


def _origin(origin: MessageOrigin) -> str:
    match origin:
        case MessageOriginUser():
            name = origin.sender_user.full_name
        case MessageOriginHiddenUser():
            name = origin.sender_user_name
        case MessageOriginChat():
            name = origin.sender_chat.title or ""
        case MessageOriginChannel():
            name = origin.chat.title or ""
        case _:
            name = ""
    return one_line(name, LONGEST_WORDS) or "somebody"
