"""What a message can hold: for each kind, the fields that a Message has of it."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from pydantic import JsonValue

from tests.servers.telegram.chats import Chat, Written
from tests.servers.telegram.files import Files
from tests.servers.telegram.refusals import Json
from tests.servers.telegram.texts import RichText, as_kept, utf16_length

if TYPE_CHECKING:
    from tests.servers.telegram.world import World

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A picture of one pixel."""


def text(said: str) -> Json:
    """A text, with the entities that Telegram finds in it."""
    return _rich("text", "entities", said)


def captioned(media: Json, caption: str) -> Json:
    """A file with words below it."""
    return {**media, **_rich("caption", "caption_entities", caption)} if caption else media


def _rich(name: str, entities: str, said: str) -> Json:
    kept = as_kept(RichText(said))
    content: Json = {name: kept.text}
    if kept.entities:
        content[entities] = [each.json() for each in kept.entities]
    return content


def photo(files: Files, data: bytes, caption: str = "") -> Json:
    """A photo in two sizes, the smaller first."""
    small: Json = {**files.add("photos", ".jpg", data[:8]).json(), "width": 90, "height": 67}
    large: Json = {**files.add("photos", ".jpg", data).json(), "width": 1280, "height": 960}
    return captioned({"photo": [small, large]}, caption)


def voice(files: Files, data: bytes, *, seconds: int = 3) -> Json:
    """A voice note."""
    file = files.add("voice", ".oga", data)
    return {"voice": {**file.json(), "duration": seconds, "mime_type": "audio/ogg"}}


def audio(files: Files, data: bytes, *, title: str = "Song", caption: str = "") -> Json:
    """A piece of music."""
    file = files.add("music", ".mp3", data)
    about: Json = {"duration": 120, "title": title, "performer": "Band", "mime_type": "audio/mpeg"}
    return captioned({"audio": {**file.json(), **about, "file_name": f"{title}.mp3"}}, caption)


def video(files: Files, data: bytes, caption: str = "") -> Json:
    """A video."""
    file = files.add("videos", ".mp4", data)
    return captioned({"video": {**file.json(), **_MOVING}}, caption)


def video_note(files: Files, data: bytes) -> Json:
    """A round video."""
    file = files.add("video_notes", ".mp4", data)
    return {"video_note": {**file.json(), "length": 240, "duration": 5}}


def animation(files: Files, data: bytes, caption: str = "") -> Json:
    """A moving picture; Telegram describes it as a document as well."""
    file = files.add("animations", ".mp4", data)
    as_document: Json = {**file.json(), "file_name": "giphy.mp4", "mime_type": "video/mp4"}
    moving: Json = {**file.json(), **_MOVING, "file_name": "giphy.mp4"}
    return captioned({"animation": moving, "document": as_document}, caption)


_MOVING: Json = {"width": 640, "height": 360, "duration": 5, "mime_type": "video/mp4"}


def document(
    files: Files,
    data: bytes,
    file_name: str,
    media_type: str,
    caption: str = "",
    *,
    size: int | None = None,
) -> Json:
    """A file of any kind, which claims to have `size` bytes if that is given."""
    ending = file_name[file_name.rfind(".") :] if "." in file_name else ""
    file = files.add("documents", ending, data, size)
    described: Json = {**file.json(), "file_name": file_name, "mime_type": media_type}
    return captioned({"document": described}, caption)


def sticker(files: Files, data: bytes = PNG, *, emoji: str = "👍") -> Json:
    """A still sticker."""
    file = files.add("stickers", ".webp", data)
    about: Json = {"type": "regular", "width": 512, "height": 512, "emoji": emoji}
    moves: Json = {"is_animated": False, "is_video": False}
    return {"sticker": {**file.json(), **about, **moves}}


def location(latitude: float, longitude: float) -> Json:
    """A point on the map."""
    return {"location": {"latitude": latitude, "longitude": longitude}}


def venue(latitude: float, longitude: float, title: str, address: str) -> Json:
    """A place with a name; it has the location twice, as Telegram sends it."""
    place = location(latitude, longitude)
    return {**place, "venue": {**place, "title": title, "address": address}}


def contact(phone_number: str, first_name: str, user_id: int | None = None) -> Json:
    """Somebody's number."""
    card: Json = {"phone_number": phone_number, "first_name": first_name}
    return {"contact": card if user_id is None else {**card, "user_id": user_id}}


def dice(value: int = 6, emoji: str = "🎲") -> Json:
    """A die that was thrown."""
    return {"dice": {"emoji": emoji, "value": value}}


def poll(question: str, *options: str) -> Json:
    """A poll in which nobody has voted."""
    listed: list[JsonValue] = [
        {"persistent_id": str(index), "text": option, "voter_count": 0}
        for index, option in enumerate(options)
    ]
    return {
        "poll": {
            "id": "1",
            "question": question,
            "options": listed,
            "total_voter_count": 0,
            "is_closed": False,
            "is_anonymous": True,
            "type": "regular",
            "allows_multiple_answers": False,
            "allows_revoting": True,
            "members_only": False,
        }
    }


_OF_ITS_OWN = ("message_id", "chat", "from", "date", "edit_date", "reply_to_message", "quote")
_OF_ITS_PLACE = ("message_thread_id", "is_topic_message", "reply_markup", "sender_chat")


def forwarded(written: Written, *, hidden_author: str | None = None) -> Json:
    """The content of a message again, and where it came from."""
    message = written.message
    left_out = _OF_ITS_OWN + _OF_ITS_PLACE
    content = {k: v for k, v in message.items() if k not in left_out}
    origin: Json = {"date": message["date"]}
    if hidden_author is not None:
        origin |= {"type": "hidden_user", "sender_user_name": hidden_author}
    elif "from" in message:
        origin |= {"type": "user", "sender_user": message["from"]}
    else:
        origin |= {"type": "channel", "chat": message["chat"], "message_id": written.message_id}
    return {**content, "forward_origin": origin}


TELEGRAM: Json = {"id": 777000, "is_bot": False, "first_name": "Telegram"}
"""Who forwards the posts of a channel to its discussion group."""
ANONYMOUS_ADMIN: Json = {
    "id": 1087968824,
    "is_bot": True,
    "first_name": "Group",
    "username": "GroupAnonymousBot",
}
"""Who an admin is that writes in the name of a group."""


def forwarded_by_telegram(post: Written) -> Json:
    """The content of a channel's post in its discussion group."""
    return {
        **forwarded(post),
        "from": TELEGRAM,
        "sender_chat": post.message["chat"],
        "is_automatic_forward": True,
    }


def position_of(quote: str, whole: str) -> int:
    """Where a quote stands in a text, in UTF-16 units."""
    return utf16_length(whole[: whole.index(quote)])


def bot_status(world: World, chat: Chat, by: Json, status: str) -> Json:
    """A ChatMemberUpdated: the bot's status in a chat changes to `status`."""
    return {
        "chat": chat.about,
        "from": by,
        "date": world.now(),
        "old_chat_member": _member(world.bot, chat.bot_status),
        "new_chat_member": _member(world.bot, status),
    }


def _member(bot: Json, status: str) -> Json:
    banned: Json = {"until_date": 0} if status == "kicked" else {}
    return {"user": bot, "status": status, **banned}
