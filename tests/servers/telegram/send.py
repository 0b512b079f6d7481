"""The methods that put messages of the bot into chats, and change them."""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from pathlib import PurePosixPath

from pydantic import JsonValue

from tests.servers.telegram.calls import Call
from tests.servers.telegram.chats import Chat
from tests.servers.telegram.files import StoredFile
from tests.servers.telegram.markup import parse_html
from tests.servers.telegram.refusals import ApiRefusal, Json, bad_request
from tests.servers.telegram.texts import RichText, as_kept, entity_of, utf16_length
from tests.servers.telegram.world import World

MAX_TEXT = 4096
MAX_CAPTION = 1024
"""Both in UTF-16 units, after the markup was parsed."""
MAX_CALLBACK_BYTES = 64

_LOOKS = frozenset({"text", "style", "icon_custom_emoji_id"})
"""What a button has beside the one thing that it does."""

ACTIONS = frozenset(
    {
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    }
)


def send_message(world: World, call: Call) -> JsonValue:
    """Send a text of 1 to 4096 units."""
    rich = _text_of(call, "text", "entities")
    _require_text(rich)
    chat, content = _head(world, call)
    content["text"] = rich.text
    if rich.entities:
        content["entities"] = [each.json() for each in rich.entities]
    return world.send(chat, content, call.parameters)


def send_photo(world: World, call: Call) -> JsonValue:
    """Send a photo that is uploaded or known by its id."""
    file = _file(world, call, "photo")
    size: Json = {**file.json(), "width": 640, "height": 480}
    return _send_file(world, call, {"photo": [size]})


def send_document(world: World, call: Call) -> JsonValue:
    """Send a file that is uploaded or known by its id."""
    file = _file(world, call, "document")
    document: Json = file.json()
    if "document" in call.uploads:
        document["file_name"] = call.uploads["document"].file_name
        document["mime_type"] = call.uploads["document"].media_type
    return _send_file(world, call, {"document": document})


def edit_message_text(world: World, call: Call) -> JsonValue:
    """Replace the text of one of the bot's messages."""
    rich = _text_of(call, "text", "entities")
    _require_text(rich)
    chat, message = _editable(world, call)
    edited: Json = {**message, "text": rich.text}
    edited.pop("entities", None)
    if rich.entities:
        edited["entities"] = [each.json() for each in rich.entities]
    return _replace(world, call, chat, message, edited)


def edit_message_reply_markup(world: World, call: Call) -> JsonValue:
    """Replace or remove the buttons of one of the bot's messages."""
    chat, message = _editable(world, call)
    return _replace(world, call, chat, message, dict(message))


def send_chat_action(world: World, call: Call) -> JsonValue:
    """Show for some seconds what the bot is doing."""
    action = call.string("action")
    if action not in ACTIONS:
        raise bad_request("wrong parameter action in request", violation=True)
    chat = world.chats.found(call.parameters)
    chat.require_open()
    _require_thread(chat, call)
    world.actions[chat.chat_id, action] += 1
    world.changes.tell()
    return True


def _text_of(call: Call, name: str, entities: str) -> RichText:
    text, mode = call.string(name), call.string("parse_mode")
    if mode and mode.casefold() != "html":
        raise ApiRefusal(501, f"parse_mode {mode!r} is not served", violation=True)
    given = tuple(entity_of(each) for each in call.objects(entities))
    return as_kept(parse_html(text) if mode else RichText(text, given))


def _require_text(rich: RichText) -> None:
    if not rich.text:
        raise bad_request("message text is empty", violation=True)
    if utf16_length(rich.text) > MAX_TEXT:
        raise bad_request("message is too long", violation=True)


def _head(world: World, call: Call) -> tuple[Chat, Json]:
    """The chat that a request sends to, and what a message of it has beside its content."""
    markup = _checked_markup(call)
    chat = world.chats.found(call.parameters)
    chat.require_open()
    _require_thread(chat, call)
    content: Json = {}
    if "message_thread_id" in call.parameters:
        content["message_thread_id"] = call.parameters["message_thread_id"]
    answered = _answered(world, chat, call)
    if answered is not None:
        content["reply_to_message"] = answered
        if chat.kind == "supergroup" and "message_thread_id" in answered:
            content["message_thread_id"] = answered["message_thread_id"]
    if markup is not None and "inline_keyboard" in markup:
        content["reply_markup"] = markup
    preview = call.object("link_preview_options")
    if preview is not None:
        content["link_preview_options"] = preview
    return chat, content


def _require_thread(chat: Chat, call: Call) -> None:
    if "message_thread_id" in call.parameters:
        chat.require_thread(call.integer("message_thread_id"))


def _answered(world: World, chat: Chat, call: Call) -> Json | None:
    """The message that the new one replies to, without what that one replied to."""
    reply = call.object("reply_parameters")
    if reply is None:
        return None
    elsewhere = world.chats.found(reply) if "chat_id" in reply else chat
    message_id = reply["message_id"]
    message = elsewhere.messages.get(message_id) if isinstance(message_id, int) else None
    if message is None:
        if reply.get("allow_sending_without_reply") is True:
            return None
        raise bad_request("message to be replied not found")
    if elsewhere is not chat:
        raise ApiRefusal(501, "replies across chats are not served", violation=True)
    return {k: v for k, v in message.items() if k != "reply_to_message"}


def _checked_markup(call: Call) -> Json | None:
    markup = call.object("reply_markup")
    for button in _buttons(markup or {}):
        if not button.keys() - _LOOKS:
            raise bad_request("text buttons are unallowed in the inline keyboard", violation=True)
        data = button.get("callback_data")
        if data is not None and not 1 <= len(str(data).encode()) <= MAX_CALLBACK_BYTES:
            raise bad_request("BUTTON_DATA_INVALID", violation=True)
    return markup


def _buttons(markup: Json) -> Sequence[Json]:
    rows = markup.get("inline_keyboard", [])
    if not isinstance(rows, list):
        return []
    return [each for row in rows if isinstance(row, list) for each in row if isinstance(each, dict)]


def _file(world: World, call: Call, name: str) -> StoredFile:
    """The file of a request: uploaded with it, or known by its id."""
    upload = call.uploads.get(name)
    if upload is None:
        return world.files.found(call.string(name))
    ending = PurePosixPath(upload.file_name).suffix or mimetypes.guess_extension(upload.media_type)
    return world.files.add(f"{name}s", ending or "", upload.content)


def _send_file(world: World, call: Call, media: Json) -> JsonValue:
    caption = _text_of(call, "caption", "caption_entities")
    if utf16_length(caption.text) > MAX_CAPTION:
        raise bad_request("message caption is too long", violation=True)
    chat, content = _head(world, call)
    content |= media
    if caption.text:
        content["caption"] = caption.text
    if caption.entities:
        content["caption_entities"] = [each.json() for each in caption.entities]
    return world.send(chat, content, call.parameters)


def _editable(world: World, call: Call) -> tuple[Chat, Json]:
    if "inline_message_id" in call.parameters:
        raise ApiRefusal(501, "inline messages are not served", violation=True)
    chat = world.chats.found(call.parameters)
    chat.require_open()
    message_id = call.integer("message_id")
    if message_id not in chat.messages:
        raise bad_request("message to edit not found")
    if (chat.chat_id, message_id) not in world.sent:
        raise bad_request("message can't be edited")
    return chat, chat.messages[message_id]


def _replace(world: World, call: Call, chat: Chat, message: Json, edited: Json) -> JsonValue:
    markup = _checked_markup(call)
    edited.pop("reply_markup", None)
    if _buttons(markup or {}):
        edited["reply_markup"] = markup
    if edited == message:
        raise bad_request(
            "message is not modified: specified new message content and reply markup are "
            "exactly the same as a current content and reply markup of the message"
        )
    edited["edit_date"] = world.now()
    return world.edit(chat, edited)
