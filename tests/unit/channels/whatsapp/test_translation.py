from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.whatsapp.requests import Params
from channels.whatsapp.translation import Event, Ignored, Me, Misdirected, Written, translate
from gaia.messages import Address, Attachment, AttachmentKind, Inbound, RepliedTo
from tests.harness.hostile import HOSTILE, opens_a_fence

ACCOUNT = "AC" + "0b" * 16
NUMBER, ADA = "+14155238886", "+4915112345678"
SID, EARLIER = "SM" + "1c" * 16, "MM" + "2d" * 16
ME = Me(ACCOUNT, NUMBER)
NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
PATH = f"/2010-04-01/Accounts/{ACCOUNT}/Messages/{SID}/Media/ME{'3e' * 16}"
URL = f"https://api.twilio.com{PATH}"

MESSAGE = {
    "SmsMessageSid": SID,
    "NumMedia": "0",
    "ProfileName": "Ada",
    "MessageType": "text",
    "SmsSid": SID,
    "WaId": ADA[1:],
    "SmsStatus": "received",
    "Body": "",
    "To": f"whatsapp:{NUMBER}",
    "NumSegments": "1",
    "ReferralNumMedia": "0",
    "MessageSid": SID,
    "AccountSid": ACCOUNT,
    "From": f"whatsapp:{ADA}",
    "ApiVersion": "2010-04-01",
}


def event(**values: str) -> Event:
    return translate(Params.of(MESSAGE | values), ME, NOW)


def inbound(**values: str) -> Inbound:
    written = event(**values)
    assert isinstance(written, Written)
    return written.inbound


def media(kind: str, media_type: str, **values: str) -> dict[str, str]:
    file = {"NumMedia": "1", "MediaUrl0": URL, "MediaContentType0": media_type}
    return file | {"MessageType": kind} | values


def test_a_text_is_what_its_sender_wrote() -> None:
    assert inbound(Body=" hello \n there ") == Inbound(
        address=Address("whatsapp", ADA),
        chat=ADA,
        provider_message_id=SID,
        text="hello \n there",
        sent_at=NOW,
        sender_name="Ada",
    )


def test_who_hides_the_number_has_an_id() -> None:
    by_id = {"From": "whatsapp:DE.4566546130240823", "WaId": ""}
    assert inbound(Body="hi", **by_id).chat == "DE.4566546130240823"
    without = {"From": "", "ExternalUserId": "whatsapp:ID.4566546130240823"}
    assert inbound(Body="hi", **without).address == Address("whatsapp", "ID.4566546130240823")


@pytest.mark.parametrize(
    ("values", "text", "notes"),
    [
        ({"Body": "/help"}, "/help", ()),
        ({"Body": "Yes", "ButtonText": "Yes", "ButtonPayload": "yes_1"}, "Yes", ()),
        ({"Body": "Yes", "ButtonText": "Yes", "ButtonPayload": "/link Ada"}, "/link Ada", ()),
        ({"Body": "Yes", "ButtonText": "Yes", "OriginalRepliedMessageSid": EARLIER}, "Yes", ()),
        ({"ListId": "tea", "ListTitle": "Tea", "Body": "tea"}, "Tea", ()),
        ({"ListId": "/help", "ListTitle": "Help"}, "/help", ()),
        (
            {"ListId": "tea", "ListTitle": "Tea", "ListDescription": "hot"},
            "Tea",
            ('(chosen from a list: "hot")',),
        ),
        ({"Body": "news", "Forwarded": "true"}, "news", ("(forwarded)",)),
        ({"Body": "news", "Forwarded": "false"}, "news", ()),
        (
            {"Body": "news", "FrequentlyForwarded": "true"},
            "news",
            ("(forwarded many times)",),
        ),
        ({"Body": "/forget", "Forwarded": "true"}, '"/forget"', ("(forwarded)",)),
        (
            {"Latitude": "52.5", "Longitude": "-13.40", "MessageType": "location"},
            "",
            ("(location: latitude 52.5, longitude -13.40)",),
        ),
        (
            {
                "Latitude": "51.5",
                "Longitude": "0.2",
                "Label": "The Harrow\nClub",
                "Address": "187 Freston Road",
                "Body": "187 Freston Road",
            },
            "",
            ('(place: "The Harrow Club", "187 Freston Road"; latitude 51.5, longitude 0.2)',),
        ),
        ({"Latitude": "here", "Longitude": "1", "Body": "x"}, "x", ()),
        (
            {"FlowData": '{"size":\n"large"}', "MessageType": "interactive"},
            "",
            ("(filled in a form: \"{'size': 'large'}\")",),
        ),
        (
            {"Body": "hi", "ReferralHeadline": "Ask gaia", "ReferralBody": "anything"},
            "hi",
            ('(wrote because of an advertisement: "Ask gaia: anything")',),
        ),
        ({}, "", ("(sent something that cannot be read here)",)),
        (
            {"MessageType": "poll\n<x>"},
            "",
            ('(sent something that cannot be read here: "poll \u2039x\u203a")',),
        ),
        ({"MessageType": "order", "Body": "two"}, "two", ()),
    ],
)
def test_what_is_written_pressed_or_chosen_is_told(
    values: dict[str, str], text: str, notes: tuple[str, ...]
) -> None:
    told = inbound(**values)
    assert (told.text, told.notes) == (text, notes)
    assert told.is_forwarded == any("forwarded" in note for note in notes)


@pytest.mark.parametrize(
    ("author", "note"),
    [
        (f"whatsapp:{NUMBER}", "(in reply to a message of yours)"),
        (f"whatsapp:{ADA}", "(in reply to a message of their own)"),
        ("", "(in reply to a message)"),
    ],
)
def test_a_reply_tells_whose_message_it_answers(author: str, note: str) -> None:
    reply = {"OriginalRepliedMessageSid": EARLIER, "OriginalRepliedMessageSender": author}
    message = inbound(Body="nice", **reply)
    assert message.notes == (note,)
    assert message.replied_to == RepliedTo(EARLIER)


@pytest.mark.parametrize(
    ("kind", "media_type", "expected"),
    [
        ("image", "image/jpeg", Attachment(AttachmentKind.PHOTO, PATH, "image/jpeg")),
        ("sticker", "image/webp", Attachment(AttachmentKind.STICKER, PATH, "image/webp")),
        ("image", "image/webp", Attachment(AttachmentKind.PHOTO, PATH, "image/webp")),
        ("audio", "audio/ogg; codecs=opus", Attachment(AttachmentKind.VOICE, PATH, "audio/ogg")),
        ("audio", "audio/mpeg", Attachment(AttachmentKind.AUDIO, PATH, "audio/mpeg")),
        ("video", "VIDEO/MP4", Attachment(AttachmentKind.VIDEO, PATH, "video/mp4")),
        ("document", "image/png", Attachment(AttachmentKind.DOCUMENT, PATH, "image/png")),
        ("", "application/pdf", Attachment(AttachmentKind.DOCUMENT, PATH, "application/pdf")),
        ("", "", Attachment(AttachmentKind.DOCUMENT, PATH, "application/octet-stream")),
        ("", "a/b/c\n", Attachment(AttachmentKind.DOCUMENT, PATH, "application/octet-stream")),
    ],
)
def test_a_file_is_named_by_its_kind(kind: str, media_type: str, expected: Attachment) -> None:
    told = inbound(**media(kind, media_type))
    assert (told.text, told.notes, told.attachments) == ("", (), (expected,))


def test_a_caption_comes_with_its_file() -> None:
    told = inbound(**media("image", "image/jpeg", Body="my cat"))
    assert told.text == "my cat"
    assert len(told.attachments) == 1


@pytest.mark.parametrize(
    ("body", "text", "file_name"),
    [
        ("invoice 7.pdf", "", "invoice 7.pdf"),
        ("what is in it?", "what is in it?", None),
        ("see 1.2", "see 1.2", None),
        ("a/b.pdf", "a/b.pdf", None),
    ],
)
def test_a_document_without_a_caption_comes_with_its_name(
    body: str, text: str, file_name: str | None
) -> None:
    told = inbound(**media("document", "application/pdf", Body=body))
    assert (told.text, told.attachments[0].file_name) == (text, file_name)


def test_a_contact_is_a_file_and_said_to_be_one() -> None:
    told = inbound(**media("contacts", "text/vcard"))
    assert told.attachments == (Attachment(AttachmentKind.DOCUMENT, PATH, "text/vcard"),)
    assert told.notes == ("(a contact)",)


def test_several_files_come_in_order() -> None:
    other = PATH[:-1] + "0"
    values = {"MediaUrl1": f"https://api.twilio.com{other}", "MediaContentType1": "image/png"}
    told = inbound(**media("", "image/jpeg", **values, NumMedia="2"))
    assert [each.file_id for each in told.attachments] == [PATH, other]


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example.com/steal",
        URL.replace("0b", "0c"),
        URL + "/..",
        URL.replace("/Media/", "/Media/../../"),
        f"https://api.twilio.com/{PATH}",
        "https://[",
        "file:///etc/passwd",
        "x",
    ],
)
def test_only_files_of_the_own_account_are_fetched(url: str) -> None:
    told = inbound(**media("image", "image/jpeg", MediaUrl0=url, Body="look"))
    assert told.attachments == ()
    assert told.notes == ("(sent a file that cannot be fetched)",)
    assert told.text == "look"


@pytest.mark.parametrize("host", ["evil.example.com", "127.0.0.1:1", "user:pass@evil.example.com"])
def test_the_host_of_a_file_is_not_believed(host: str) -> None:
    told = inbound(**media("image", "image/jpeg", MediaUrl0=f"https://{host}{PATH}?x=1#y"))
    assert told.attachments[0].file_id == PATH


@pytest.mark.parametrize("name", ["EditedMessageSid", "OriginalMessageSid"])
def test_an_edit_replaces_a_message(name: str) -> None:
    assert inbound(Body="tea", **{name: EARLIER}).edit_of == EARLIER
    assert inbound(Body="tea", **{name: "nonsense"}).edit_of is None


@pytest.mark.parametrize("kind", ["reaction", "revoked", "deleted"])
def test_a_reaction_says_nothing(kind: str) -> None:
    assert isinstance(event(MessageType=kind, Body="👍"), Ignored)


def test_who_wants_no_more_messages_gets_no_answer() -> None:
    assert isinstance(event(Body="STOP", OptOutType="STOP"), Ignored)
    assert inbound(Body="START", OptOutType="START").text == "START"


@pytest.mark.parametrize(
    "values",
    [
        {"To": "whatsapp:+15550001111"},
        {"To": NUMBER, "From": ADA},
        {"To": ""},
        {"From": ""},
        {"From": "messenger:12345"},
        {"From": "whatsapp:../x"},
        {"MessageSid": ""},
        {"MessageSid": "SM1"},
    ],
)
def test_what_is_not_for_this_number_is_left_out(values: dict[str, str]) -> None:
    left_out = event(Body="hello", **values)
    assert isinstance(left_out, Misdirected)
    assert "+" not in left_out.reason


def test_what_gaia_sent_is_no_message() -> None:
    own = {"From": f"whatsapp:{NUMBER}", "To": f"whatsapp:{ADA}", "MessageStatus": "sent"}
    assert isinstance(event(**own), Ignored)


def test_what_was_looked_for_is_marked() -> None:
    found = translate(Params.of(MESSAGE), ME, NOW, is_late=True)
    assert isinstance(found, Written)
    assert found.inbound.is_late


@given(
    st.dictionaries(
        st.sampled_from([*MESSAGE, "Latitude", "ButtonPayload", "MediaUrl0"]), st.text()
    )
)
def test_nothing_makes_translation_fail(values: dict[str, str]) -> None:
    told = translate(Params.of(MESSAGE | values), ME, NOW)
    if isinstance(told, Written):
        texts = (told.inbound.text, told.inbound.chat, *told.inbound.notes)
        "".join(texts).encode()
        assert "\x00" not in "".join(texts)
        assert not any("\n" in note for note in told.inbound.notes)


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize(
    ("values", "plain"),
    [
        (
            ("Label", "Address"),
            "(place: , ; latitude 51.5, longitude 0.2)",
        ),
        (("FlowData",), "(filled in a form: )"),
        (("ListDescription",), "(chosen from a list: )"),
        (("ReferralHeadline", "ReferralBody"), "(wrote because of an advertisement: )"),
        (("MessageType",), "(sent something that cannot be read here: )"),
    ],
)
def test_hostile_words_of_others_stay_in_their_quotes(
    values: tuple[str, ...], plain: str, words: str
) -> None:
    place = {"Latitude": "51.5", "Longitude": "0.2"} if "Label" in values else {}
    (note,) = inbound(**dict.fromkeys(values, words), **place).notes
    assert note.isprintable()
    assert not opens_a_fence(note)
    assert re.sub('"[^"]*"', "", note) == plain
