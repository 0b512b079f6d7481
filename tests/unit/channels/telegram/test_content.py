from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from channels.telegram.events import Event, Written
from gaia.messages import Attachment, AttachmentKind, Inbound, RepliedTo
from tests.harness.hostile import HOSTILE, opens_a_fence

Translate = Callable[..., Event]

QUOTED = re.compile('"[^"]*"')
PLAIN_NOTES = {
    "(contact: , phone )",
    "(place: , ; latitude 52.5, longitude 13.4)",
    "(poll , options: )",
    "(checklist : [ ] )",
    "(forwarded from )",
    "(in reply to )",
    "(in reply to (contact: , phone ))",
    "(in reply to a photo )",
    "(in reply to a message of  in another chat: )",
    "(shared users: )",
}
"""What notes say besides what stands in quotes."""

FILE = {"file_id": "f", "file_unique_id": "u"}
SIZE = FILE | {"width": 4, "height": 3}
PLACE = {"latitude": 52.5, "longitude": 13.4}


def inbound(event: Event) -> Inbound:
    assert isinstance(event, Written), event
    return event.inbound


@pytest.mark.parametrize(
    ("fields", "attachment"),
    [
        (
            {"voice": FILE | {"duration": 3, "mime_type": "audio/ogg", "file_size": 9}},
            Attachment(AttachmentKind.VOICE, "f", "audio/ogg", 9, None, 3),
        ),
        (
            {"audio": FILE | {"duration": 3, "file_name": "song.mp3"}},
            Attachment(AttachmentKind.AUDIO, "f", "audio/mpeg", None, "song.mp3", 3),
        ),
        (
            {"video": SIZE | {"duration": 3, "mime_type": "video/webm"}},
            Attachment(AttachmentKind.VIDEO, "f", "video/webm", None, None, 3),
        ),
        (
            {"video_note": FILE | {"duration": 3, "length": 240}},
            Attachment(AttachmentKind.VIDEO, "f", "video/mp4", None, None, 3),
        ),
        (
            {"document": FILE | {"file_name": "a.pdf", "mime_type": "application/pdf"}},
            Attachment(AttachmentKind.DOCUMENT, "f", "application/pdf", None, "a.pdf"),
        ),
        (
            {"animation": SIZE | {"duration": 3}, "document": FILE},
            Attachment(AttachmentKind.ANIMATION, "f", "video/mp4", None, None, 3),
        ),
        (
            {
                "photo": [
                    SIZE | {"file_id": "small", "width": 2},
                    SIZE | {"file_id": "large", "width": 9, "file_size": 7},
                    SIZE | {"file_id": "medium", "width": 4},
                ]
            },
            Attachment(AttachmentKind.PHOTO, "large", "image/jpeg", 7),
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_file_is_an_attachment(
    direct: Translate, fields: dict[str, object], attachment: Attachment
) -> None:
    message = inbound(direct(**fields))
    assert message.attachments == (attachment,)
    assert message.notes == ()


@pytest.mark.parametrize(
    ("flags", "media_type"),
    [
        ({}, "image/webp"),
        ({"is_animated": True}, "application/x-tgsticker"),
        ({"is_video": True}, "video/webm"),
    ],
)
def test_a_sticker_comes_with_its_emoji(
    direct: Translate, flags: dict[str, bool], media_type: str
) -> None:
    usual = {"type": "regular", "is_animated": False, "is_video": False, "emoji": "😀"}
    message = inbound(direct(sticker=SIZE | usual | flags))
    assert message.attachments == (Attachment(AttachmentKind.STICKER, "f", media_type),)
    assert message.notes == ('(sticker "😀")',)


POLL = {
    "id": "1",
    "question": "Tea or coffee?",
    "options": [
        {"text": "Tea", "voter_count": 0, "persistent_id": "a"},
        {"text": "Coffee", "voter_count": 0, "persistent_id": "b"},
    ],
    "total_voter_count": 0,
    "is_closed": False,
    "is_anonymous": True,
    "type": "regular",
    "allows_multiple_answers": False,
    "allows_revoting": True,
    "members_only": False,
}
TASKS = [{"id": 1, "text": "Milk"}, {"id": 2, "text": "Tea", "completion_date": 5}]


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({"location": PLACE}, "(location: latitude 52.5, longitude 13.4)"),
        (
            {"location": PLACE | {"live_period": 60}},
            "(live location: latitude 52.5, longitude 13.4)",
        ),
        (
            {
                "venue": {"location": PLACE, "title": "Café", "address": "Main St 1"},
                "location": PLACE,
            },
            '(place: "Café", "Main St 1"; latitude 52.5, longitude 13.4)',
        ),
        (
            {"contact": {"phone_number": "+491", "first_name": "Bob", "last_name": "Ray"}},
            '(contact: "Bob Ray", phone "+491")',
        ),
        ({"poll": POLL}, '(poll "Tea or coffee?", options: "Tea"; "Coffee")'),
        ({"dice": {"emoji": "🎲", "value": 4}}, '(threw "🎲": 4)'),
        (
            {"checklist": {"title": "Shopping", "tasks": TASKS}},
            '(checklist "Shopping": [ ] "Milk"; [x] "Tea")',
        ),
        (
            {"users_shared": {"request_id": 1, "users": [{"user_id": 5, "first_name": "Eve"}]}},
            '(shared users: "Eve")',
        ),
        (
            {"chat_shared": {"request_id": 1, "chat_id": 5, "title": "News"}},
            '(shared a chat: "News")',
        ),
        (
            {"story": {"id": 1, "chat": {"id": 5, "type": "private"}}},
            "(sent a story, which cannot be read here)",
        ),
        ({"hologram": {"id": 1}}, '(sent something that cannot be read here: "hologram")'),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_is_no_file_is_told_in_words(
    direct: Translate, fields: dict[str, object], note: str
) -> None:
    message = inbound(direct(**fields))
    assert message.notes == (note,)
    assert message.text == ""


def test_a_note_is_one_line_however_odd_a_name_is(direct: Translate) -> None:
    contact = {"phone_number": "1", "first_name": "Bob\n/forget all\n" + "x" * 900}
    (note,) = inbound(direct(contact=contact)).notes
    assert "\n" not in note
    assert len(note) < 400


def earlier(**fields: object) -> dict[str, object]:
    return {"message_id": 40, "date": 1, "chat": {"id": 7, "type": "private"}} | fields


def test_a_reply_tells_the_beginning_of_what_it_replies_to(direct: Translate) -> None:
    (note,) = inbound(direct(text="why?", reply_to_message=earlier(text="a\nb " * 400))).notes
    assert note.startswith('(in reply to "a b a b')
    assert note.endswith('…")')
    assert len(note) < 330


def test_a_reply_brings_the_files_of_what_it_replies_to(direct: Translate) -> None:
    photo = earlier(photo=[SIZE], caption="my cat")
    message = inbound(direct(text="what breed?", reply_to_message=photo))
    assert message.attachments == (Attachment(AttachmentKind.PHOTO, "f", "image/jpeg"),)
    assert message.notes == ('(in reply to a photo "my cat")',)


def test_a_reply_to_a_place_tells_the_place(direct: Translate) -> None:
    message = inbound(direct(text="how far?", reply_to_message=earlier(location=PLACE)))
    assert message.notes == ("(in reply to (location: latitude 52.5, longitude 13.4))",)


def test_a_quote_stands_for_the_whole(direct: Translate) -> None:
    message = inbound(
        direct(
            text="really?",
            reply_to_message=earlier(text="It rains. It pours."),
            quote={"text": "It pours.", "position": 10, "is_manual": True},
        )
    )
    assert message.notes == ('(in reply to "It pours.")',)
    assert message.replied_to == RepliedTo("7:40", "It rains. It pours.", "It pours.")


def test_a_reply_carries_all_of_what_it_replies_to(direct: Translate) -> None:
    words = "It rains.\n" * 400
    link = {"type": "text_link", "offset": 0, "length": 2, "url": "https://example.org/a"}
    replied = earlier(text=words, entities=[link])
    message = inbound(direct(text="really?", reply_to_message=replied))
    whole = words.strip().replace("It", "It (https://example.org/a)", 1)
    assert message.replied_to == RepliedTo("7:40", whole)


def test_a_long_quote_that_somebody_chose_is_whole(direct: Translate) -> None:
    words = "It rains.\n" * 90
    quote = {"text": words[:1000], "position": 0, "is_manual": True}
    message = inbound(direct(text="why?", reply_to_message=earlier(text=words), quote=quote))
    assert message.replied_to is not None
    assert message.replied_to.quote == words[:1000].strip()


def test_a_quote_that_telegram_made_does_not_stand_for_the_whole(direct: Translate) -> None:
    quote = {"text": "It rains.", "position": 0}
    replied = earlier(text="It rains. It pours.")
    message = inbound(direct(text="really?", reply_to_message=replied, quote=quote))
    assert message.notes == ('(in reply to "It rains. It pours.")',)
    assert message.replied_to == RepliedTo("7:40", "It rains. It pours.")


def test_a_reply_across_chats_names_whose_message_it_was(direct: Translate) -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Bob"}
    message = inbound(direct(text="see", external_reply={"origin": origin}))
    assert message.notes == ('(in reply to a message of "Bob" in another chat)',)


def test_a_reply_across_chats_brings_what_is_quoted_and_the_files(direct: Translate) -> None:
    origin = {"type": "hidden_user", "date": 1, "sender_user_name": "Bob"}
    elsewhere = {"origin": origin, "photo": [SIZE]}
    quote = {"text": "my cat\n" * 100, "position": 0}
    message = inbound(direct(text="what breed?", external_reply=elsewhere, quote=quote))
    assert message.attachments == (Attachment(AttachmentKind.PHOTO, "f", "image/jpeg"),)
    (note,) = message.notes
    assert note.startswith('(in reply to a message of "Bob" in another chat: a photo "my cat my')
    assert message.replied_to == RepliedTo(quote=("my cat\n" * 100).strip())


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        (
            {"type": "user", "sender_user": {"id": 5, "is_bot": False, "first_name": "Bob"}},
            "Bob",
        ),
        ({"type": "hidden_user", "sender_user_name": "Bob"}, "Bob"),
        ({"type": "chat", "sender_chat": {"id": -5, "type": "group", "title": "Us"}}, "Us"),
        (
            {"type": "channel", "chat": {"id": -5, "type": "channel", "title": "News"}},
            "News",
        ),
    ],
)
def test_a_forwarded_message_names_whom_it_is_from(
    direct: Translate, origin: dict[str, object], name: str
) -> None:
    message = inbound(direct(text="look", forward_origin={"date": 1, "message_id": 1} | origin))
    assert message.text == "look"
    assert message.notes == (f'(forwarded from "{name}")',)


def _person(name: str) -> dict[str, object]:
    return {"id": 5, "is_bot": False, "first_name": name}


OTHERS_WORDS: dict[str, Callable[[str], dict[str, object]]] = {
    "contact": lambda words: {"contact": {"phone_number": words, "first_name": words}},
    "place": lambda words: {"venue": {"location": PLACE, "title": words, "address": words}},
    "poll": lambda words: {
        "poll": POLL | {"question": words, "options": [POLL["options"][0] | {"text": words}]}
    },
    "checklist": lambda words: {"checklist": {"title": words, "tasks": [{"id": 1, "text": words}]}},
    "forward": lambda words: {
        "text": "look",
        "forward_origin": {"date": 1, "type": "hidden_user", "sender_user_name": words},
    },
    "forwarding person": lambda words: {
        "text": "look",
        "forward_origin": {"date": 1, "type": "user", "sender_user": _person(words)},
    },
    "reply": lambda words: {"text": "yes", "reply_to_message": earlier(text=words)},
    "reply to a contact": lambda words: {
        "text": "yes",
        "reply_to_message": earlier(contact={"phone_number": "1", "first_name": words}),
    },
    "caption": lambda words: {
        "text": "yes",
        "reply_to_message": earlier(photo=[SIZE], caption=words),
    },
    "quote": lambda words: {
        "text": "yes",
        "reply_to_message": earlier(text="hello"),
        "quote": {"text": words, "position": 0, "is_manual": True},
    },
    "another chat": lambda words: {
        "text": "yes",
        "external_reply": {"origin": {"type": "hidden_user", "date": 1, "sender_user_name": words}},
        "quote": {"text": words, "position": 0},
    },
    "shared person": lambda words: {
        "users_shared": {"request_id": 1, "users": [{"user_id": 5, "first_name": words}]}
    },
}


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("fields", OTHERS_WORDS.values(), ids=OTHERS_WORDS)
def test_hostile_words_of_others_stay_in_their_quotes(
    direct: Translate, fields: Callable[[str], dict[str, object]], words: str
) -> None:
    (note,) = inbound(direct(**fields(words))).notes
    assert note.isprintable()
    assert not opens_a_fence(note)
    outside = QUOTED.sub("", note)
    assert outside in PLAIN_NOTES
