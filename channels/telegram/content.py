"""What a message holds besides its words: files as attachments, the rest as notes.

A note is one line of plain words in brackets, for the model to read. What gaia
has no words for is named in one too, so that nothing arrives as if it were nothing.
The files of a message that is replied to come along: "what is this?" below a
photo is a question about the photo.
"""

from __future__ import annotations

from collections.abc import Iterator

from telegram import (
    Animation,
    Audio,
    Checklist,
    Contact,
    Document,
    ExternalReplyInfo,
    LivePhoto,
    Location,
    Message,
    MessageOrigin,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
    PhotoSize,
    Poll,
    SharedUser,
    Sticker,
    Venue,
    Video,
    VideoNote,
    Voice,
)

from channels.base.intake import LONGEST_WORDS, Content, clean, one_line, quoted
from channels.telegram.events import message_name
from channels.telegram.words import Me, quote_of, replied_to, words_of
from gaia.messages import REPLY_TO_GAIA, REPLY_TO_OWN, Attachment, AttachmentKind, RepliedTo
from gaia.text import cut

OTHER_CONTENT = {
    "paid_media": "media that must be paid for",
    "story": "a story",
    "game": "a game",
    "invoice": "an invoice",
    "giveaway": "a giveaway",
    "giveaway_winners": "the winners of a giveaway",
    "gift": "a gift",
    "unique_gift": "a gift",
    "passport_data": "Telegram Passport data",
    "web_app_data": "data of a web app",
}
"""What can be named and not read, by the field of a message that holds it."""

LONGEST_REPLIED = 16_000
"""Characters of what is replied to: four times Telegram's longest message, for the addresses
of its links."""

_Medium = Animation | Audio | Document | LivePhoto | PhotoSize | Sticker | Video | VideoNote | Voice


def content_of(message: Message | ExternalReplyInfo) -> Content:
    """Return the files of a message, and notes of the rest."""
    return Content(tuple(_attachments(message)), tuple(_notes(message)))


def _attachments(message: Message | ExternalReplyInfo) -> Iterator[Attachment]:
    if message.photo:
        yield _photo(message.photo)
    if message.voice:
        yield _file(message.voice, AttachmentKind.VOICE, "audio/ogg")
    if message.audio:
        yield _file(message.audio, AttachmentKind.AUDIO, "audio/mpeg")
    if message.video:
        yield _file(message.video, AttachmentKind.VIDEO, "video/mp4")
    if message.video_note:
        yield _file(message.video_note, AttachmentKind.VIDEO, "video/mp4")
    if message.live_photo:
        yield _file(message.live_photo, AttachmentKind.VIDEO, "video/mp4")
    if message.animation:
        yield _file(message.animation, AttachmentKind.ANIMATION, "video/mp4")
    elif message.document:  # An animation comes as a document as well.
        yield _file(message.document, AttachmentKind.DOCUMENT, "application/octet-stream")
    if message.sticker:
        yield _sticker(message.sticker)


def _photo(sizes: tuple[PhotoSize, ...]) -> Attachment:
    largest = max(sizes, key=lambda size: size.width * size.height)
    return _file(largest, AttachmentKind.PHOTO, "image/jpeg")


def _file(medium: _Medium, kind: AttachmentKind, usual_type: str) -> Attachment:
    fields = medium.to_dict()
    return Attachment(
        kind,
        clean(medium.file_id),
        clean(fields.get("mime_type") or usual_type),
        size_bytes=None if medium.file_size is None else int(medium.file_size),
        file_name=_file_name(fields.get("file_name")),
        duration_seconds=_seconds(fields.get("duration")),
    )


def _file_name(name: str | None) -> str | None:
    return one_line(name, LONGEST_WORDS) if name else None


def _seconds(duration: float | None) -> float | None:
    return None if duration is None else float(duration)


def _sticker(sticker: Sticker) -> Attachment:
    if sticker.is_animated:
        return _file(sticker, AttachmentKind.STICKER, "application/x-tgsticker")
    return _file(
        sticker, AttachmentKind.STICKER, "video/webm" if sticker.is_video else "image/webp"
    )


def _notes(message: Message | ExternalReplyInfo) -> Iterator[str]:
    if message.sticker and message.sticker.emoji:
        yield f"(sticker {quoted(message.sticker.emoji)})"
    if message.venue:
        yield _venue(message.venue)
    elif message.location:  # A venue has its place in both.
        yield _location(message.location)
    if message.contact:
        yield _contact(message.contact)
    if message.poll:
        yield _poll(message.poll)
    if message.checklist:
        yield _checklist(message.checklist)
    if message.dice:
        yield f"(threw {quoted(message.dice.emoji)}: {message.dice.value})"
    if isinstance(message, Message):
        yield from _shared(message)
    for name, words in OTHER_CONTENT.items():
        if getattr(message, name, None):
            yield f"(sent {words}, which cannot be read here)"


def _shared(message: Message) -> Iterator[str]:
    if message.users_shared:
        names = (_shared_user(user) for user in message.users_shared.users)
        yield f"(shared users: {'; '.join(names)})"
    if message.chat_shared:
        shared = message.chat_shared
        yield f"(shared a chat: {quoted(shared.title or shared.username or str(shared.chat_id))})"


def _place(location: Location) -> str:
    return f"latitude {location.latitude}, longitude {location.longitude}"


def _location(location: Location) -> str:
    live = "live location" if "live_period" in location.to_dict() else "location"
    return f"({live}: {_place(location)})"


def _venue(venue: Venue) -> str:
    address = f", {quoted(venue.address)}" if venue.address else ""
    return f"(place: {quoted(venue.title)}{address}; {_place(venue.location)})"


def _contact(contact: Contact) -> str:
    name = " ".join(filter(None, (contact.first_name, contact.last_name)))
    return f"(contact: {quoted(name)}, phone {quoted(contact.phone_number)})"


def _poll(poll: Poll) -> str:
    options = "; ".join(quoted(option.text) for option in poll.options)
    kind = "quiz" if poll.type == Poll.QUIZ else "poll"
    return f"({kind} {quoted(poll.question)}, options: {options})"


def _checklist(checklist: Checklist) -> str:
    tasks = "; ".join(
        f"{'[x]' if task.completion_date else '[ ]'} {quoted(task.text)}"
        for task in checklist.tasks
    )
    return f"(checklist {quoted(checklist.title)}: {tasks})"


def _shared_user(user: SharedUser) -> str:
    name = " ".join(filter(None, (user.first_name, user.last_name)))
    return quoted(name or user.username or f"id {user.user_id}")


def context_of(message: Message, me: Me) -> Content:
    """Notes of what the message refers to, and the files of what it replies to."""
    reply, notes = _reply(message, me), []
    if message.forward_origin is not None:
        notes.append(f"(forwarded from {_origin(message.forward_origin)})")
    if message.via_bot is not None and message.via_bot.id != me.user_id:
        notes.append(f"(sent through the bot {quoted(message.via_bot.name)}, which wrote it)")
    return Content(reply.attachments, (*notes, *reply.notes), reply.replied_to)


def is_of_others(message: Message, me: Me) -> bool:
    """Whether the words of a message are not its sender's: another chat's, or those of a bot
    that the sender chose them from."""
    via = message.via_bot
    return message.forward_origin is not None or (via is not None and via.id != me.user_id)


def _reply(message: Message, me: Me) -> Content:
    quote, replied = quote_of(message), replied_to(message)
    if replied is not None:
        return _reply_here(message, replied, me, quote)
    if message.external_reply is not None:
        return _reply_elsewhere(message.external_reply, quote)
    if message.reply_to_story is not None:
        return Content((), ("(in reply to a story, which cannot be read here)",))
    return Content()


def _reply_here(message: Message, replied: Message, me: Me, quote: str) -> Content:
    """What a message in the same chat was; a part that was chosen stands for all of it."""
    content, words = content_of(replied), words_of(replied)
    is_chosen = bool(quote and message.quote and message.quote.is_manual)
    told = f" {quoted(quote)}" if is_chosen else _gist(words or quote, content)
    return Content(
        content.attachments,
        (f"{_reply_to(message, replied, me)}{told})",),
        RepliedTo(
            message_name(replied.chat.id, replied.message_id),
            cut(words or quote, LONGEST_REPLIED),
            cut(quote, LONGEST_REPLIED) if is_chosen else "",
        ),
    )


def _reply_elsewhere(replied: ExternalReplyInfo, quote: str) -> Content:
    """What a message in another chat was: of its words Telegram tells those that are quoted."""
    content = content_of(replied)
    told = f":{_gist(quote, content)}" if quote or content != Content() else ""
    note = f"(in reply to a message of {_origin(replied.origin)} in another chat{told})"
    return Content(content.attachments, (note,), RepliedTo(quote=cut(quote, LONGEST_REPLIED)))


def _reply_to(message: Message, replied: Message, me: Me) -> str:
    """How the note of a reply begins. What was forwarded, or is a bot's, is nobody's own."""
    author = replied.from_user
    is_own = replied.sender_chat is None and not is_of_others(replied, me)
    if is_own and author is not None:
        if author.id == me.user_id:
            return f"{REPLY_TO_GAIA}:"
        if message.from_user is not None and author.id == message.from_user.id:
            return f"{REPLY_TO_OWN}:"
    return "(in reply to"


def _gist(words: str, content: Content) -> str:
    """Return what a message was, in a few words."""
    kinds = "".join(f" {_article(each.kind)} {each.kind}" for each in content.attachments)
    words = words and quoted(words)
    notes = "".join(f" {note}" for note in content.notes)
    return (kinds + (f" {words}" if words else "") + notes) or " a message without words"


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
    return quoted(name) if name.strip() else "somebody"
