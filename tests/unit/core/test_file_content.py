"""What files are by their bytes, and what texts say in the encodings that people's files have."""

# ruff: noqa: RUF001 - texts of many alphabets
from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia.core.attachments import UNKNOWN, Text, examine

SAID = "Grüße, 世界\nline two"
NATIONAL = {
    "cp1250": "Nezapomeň prosím koupit mléko, chléb a máslo, a zítra v sedm hodin vyzvednout děti.",
    "iso8859-2": "Proszę nie zapomnieć o jutrzejszej wizycie u lekarza i zabrać ze sobą wyniki.",
    "cp1251": "Не забудь купить молоко и хлеб, завтра вечером приедут гости из Москвы.",
    "koi8-r": "Встреча перенесена на пятницу, пожалуйста, возьмите с собой документы.",
    "koi8-u": "Зустріч перенесено на п'ятницю, будь ласка, візьміть із собою документи її брата.",
    "cp1252": "Le rendez-vous chez le médecin est déplacé à vendredi, à côté de l'école.",
    "cp1253": "Μην ξεχάσεις να αγοράσεις γάλα και ψωμί, αύριο έρχονται οι καλεσμένοι.",
    "cp1254": "Lütfen yarın akşam için süt ve ekmek almayı unutma, misafirlerimiz geliyor.",
    "cp1255": "אל תשכח לקנות חלב ולחם, מחר בערב מגיעים אורחים מחיפה.",
    "cp1256": "لا تنس شراء الحليب والخبز، سيأتي الضيوف غدا في المساء.",
    "cp1257": "Nepamiršk nupirkti pieno ir duonos, rytoj vakare atvažiuos svečiai iš Kauno.",
    "gbk": "请不要忘记买牛奶和面包，明天晚上有客人来。",
    "gb18030": "会议改到星期五下午三点，请带上所有文件。",
    "big5": "請不要忘記買牛奶和麵包，明天晚上有客人來。",
    "shift_jis": "牛乳とパンを買うのを忘れないでください。明日の夜、お客さんが来ます。",
    "euc_jp": "会議は金曜日の午後三時に変更になりました。書類を持ってきてください。",
    "iso2022_jp": "会議は金曜日の午後三時に変更になりました。",
    "euc_kr": "우유와 빵 사는 것을 잊지 마세요. 내일 저녁에 손님이 옵니다.",
    "utf-16-le": "The dentist moved to Friday.\nBring the papers, s'il te plaît.",
    "utf-16-be": "Встреча перенесена на пятницу.\nВозьмите документы.",
}


def ftyp(brand: bytes, then: bytes = b"") -> bytes:
    """The beginning of an MP4 and its kin."""
    return b"\0\0\0\x18ftyp" + brand + b"\0\0\0\0" + brand + b"isom" + then + b"\xde\xad\0\0" * 40


def track(handler: bytes) -> bytes:
    return b"\0\0\0\x21hdlr" + b"\0" * 8 + handler


def office(member: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, "<x/>")
    return file.getvalue()


BINARY = b"\x8b\x01\x02\xff" * 30
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (b"\xff\xd8\xff\xe0\x00\x10JFIF\0", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
        (b"RIFF\x24\0\0\0WEBPVP8 " + BINARY, "image/webp"),
        (ftyp(b"heic"), "image/heic"),
        (ftyp(b"mif1"), "image/heif"),
        (ftyp(b"isom", track(b"soun") + track(b"vide")), "video/mp4"),
        (ftyp(b"isom", track(b"soun")), "audio/mp4"),
        (ftyp(b"M4A ", track(b"soun")), "audio/mp4"),
        (ftyp(b"qt  ", track(b"vide")), "video/quicktime"),
        (b"\x1aE\xdf\xa3\x01\0\0\0webmA_OPUS" + BINARY, "audio/webm"),
        (b"\x1aE\xdf\xa3\x01\0\0\0webmV_VP9" + BINARY, "video/webm"),
        (b"OggS\0\x02" + bytes(20) + b"\x01\x13OpusHead" + BINARY, "audio/ogg"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + BINARY, "application/pdf"),
        (b"a line of junk\n%PDF-1.7\n%\xe2\xe3\n" + BINARY + b"%%EOF\n", "application/pdf"),
        (b"%PDF-1.4\n1 0 obj <<>> endobj\n%%EOF", "application/pdf"),
        (office("word/document.xml"), WORD),
        (office("notes/a.txt"), "application/zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + BINARY, "a/stated"),
        (BINARY, "a/stated"),
        (b"\0", "a/stated"),
    ],
)
def test_the_bytes_tell_what_a_file_is(content: bytes, media_type: str) -> None:
    assert examine(content, "a/stated") == media_type


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "<!DOCTYPE html><html><p>hi</p></html>",
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
        '{"a": [1, 2]}',
        "BMW is a car maker, and MZ makes motorbikes.",
        "GIF89a is how pictures of that kind begin.",
        "How a PDF begins: %PDF-1.7, then objects.",
        "\x1b[31mred\x1b[0m in a log",
        SAID,
    ],
)
def test_text_is_read_whatever_is_stated(text: str) -> None:
    assert examine(text.encode(), "image/png") == Text(text)


@pytest.mark.parametrize("encoding", NATIONAL)
def test_text_in_an_encoding_of_its_country_is_read(encoding: str) -> None:
    found = examine(NATIONAL[encoding].encode(encoding), UNKNOWN)
    assert isinstance(found, Text)
    assert found.text == NATIONAL[encoding]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_says_which_unicode_it_is(encoding: str) -> None:
    assert examine(SAID.encode(encoding), "text/plain") == Text(SAID)


def test_what_is_a_guess_is_said() -> None:
    found = examine("“quoted” — €5".encode("cp1252"), "text/plain")
    assert found == Text("“quoted” — €5", "it was read as cp1252, which is a guess")


def test_utf_8_with_a_damaged_character_stays_utf_8() -> None:
    content = ("Příliš žluťoučký kůň úpěl ďábelské ódy. " * 3).encode()
    found = examine(content + b"\xff" + content, "text/plain")
    assert isinstance(found, Text)
    assert found.doubt == "some of its characters are damaged"
    assert found.text.split("\ufffd") == [content.decode()] * 2


def test_lines_end_in_one_way() -> None:
    assert examine(b"one\r\ntwo\rthree", "text/plain") == Text("one\ntwo\nthree")


@given(st.binary())
def test_anything_is_read_or_has_a_type(content: bytes) -> None:
    found = examine(content, "a/stated")
    assert "\0" not in found.text if isinstance(found, Text) else found


@given(st.text(st.characters(exclude_characters="\r\ufeff", exclude_categories=("Cs", "Cc"))))
def test_utf_8_comes_through_unchanged(text: str) -> None:
    if "%PDF-" not in text:
        assert examine(text.encode(), "a/stated") == Text(text)
