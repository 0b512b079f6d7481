"""The address of a file holds for an hour, for that file, as gaia made it."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from channels.whatsapp.files import (
    FILE_HOLDS_SECONDS,
    LONGEST_NAME,
    OutgoingFiles,
    safe_name,
    takes,
)
from gaia.errors import StoreError
from gaia.messages import HookAnswer, OutboundFile
from gaia.testing.clock import FakeClock

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FILE = OutboundFile("gaia-2026-11-28.docx", WORD, 4)
TOKEN = "0123456789abcdef0123456789abcdef"
CONTENTS = {7: b"seven", 71: b"seventy-one", 8: b"eight"}


async def content(outbox_id: int) -> bytes | None:
    return CONTENTS.get(outbox_id)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def files(clock: FakeClock) -> OutgoingFiles:
    return with_token(TOKEN, clock)


def with_token(token: str, clock: FakeClock) -> OutgoingFiles:
    return OutgoingFiles(
        content, public_url="https://gaia.example/home/", auth_token=token, clock=clock
    )


def path_of(files: OutgoingFiles, outbox_id: int = 7, file: OutboundFile = FILE) -> str:
    """What stands in the address behind `media/`."""
    before, _, path = urlsplit(files.url(outbox_id, file)).path.partition("/media/")
    assert before == "/home/hooks/whatsapp"
    return path


async def test_the_address_gives_the_file(files: OutgoingFiles) -> None:
    assert files.url(7, FILE).startswith("https://gaia.example/home/hooks/whatsapp/media/7/")
    answer = await files.serve(path_of(files))
    assert answer == HookAnswer(
        200,
        b"seven",
        WORD,
        {
            "Content-Disposition": 'inline; filename="gaia-2026-11-28.docx"',
            "Cache-Control": "private, no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )


async def test_an_address_holds_for_an_hour(files: OutgoingFiles, clock: FakeClock) -> None:
    path = path_of(files)
    clock.advance(FILE_HOLDS_SECONDS - 1)
    assert (await files.serve(path)).status == 200
    clock.advance(1)
    assert await files.serve(path) == HookAnswer(410, b"gone")


async def test_no_part_of_an_address_can_be_changed(files: OutgoingFiles) -> None:
    outbox_id, expires, mac, name = path_of(files).split("/")
    other = path_of(files, 8).split("/")[2]
    changed = "0" if mac[0] != "0" else "1"
    for path in (
        f"8/{expires}/{mac}/{name}",
        f"71/{expires}/{mac}/{name}",
        f"07/{expires}/{mac}/{name}",
        f"{outbox_id}/{int(expires) + 1}/{mac}/{name}",
        f"{outbox_id}/0{expires}/{mac}/{name}",
        f"{outbox_id}/{expires}/{changed}{mac[1:]}/{name}",
        f"{outbox_id}/{expires}/{mac.upper()}/{name}",
        f"{outbox_id}/{expires}/{other}/{name}",
        f"{outbox_id}/{expires}/{mac}/gaia-2026-11-29.docx",
        f"{outbox_id}/{expires}/{mac}/x.html",
    ):
        assert await files.serve(path) == HookAnswer(403, b"forbidden"), path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "7",
        "7/1/2",
        "7/1//x",
        "a/b/c/d",
        "7/1/" + "0" * 64,
        "../7/1/2/x",
        "\u0667/1/2/x",
        "\0",
    ],
)
async def test_what_is_no_address_is_forbidden(files: OutgoingFiles, path: str) -> None:
    assert await files.serve(path) == HookAnswer(403, b"forbidden")


async def test_something_before_or_behind_an_address_is_forbidden(files: OutgoingFiles) -> None:
    path = path_of(files)
    for odd in (f"/{path}", f"{path}/", f"{path}\n", f"{path}/../x", f" {path}"):
        assert (await files.serve(odd)).status == 403, odd


async def test_an_address_of_another_token_is_forbidden(
    files: OutgoingFiles, clock: FakeClock
) -> None:
    path = path_of(with_token("f" * 32, clock))
    assert (await files.serve(path)).status == 403


async def test_a_file_that_is_gone_is_not_found(files: OutgoingFiles) -> None:
    assert await files.serve(path_of(files, 9)) == HookAnswer(404, b"not found")


async def test_twilio_is_to_come_again_when_the_file_cannot_be_read(clock: FakeClock) -> None:
    async def broken(_: int) -> bytes | None:
        raise StoreError("the disk is gone: bring it back")

    files = OutgoingFiles(broken, public_url="https://g", auth_token=TOKEN, clock=clock)
    path = files.url(7, FILE).partition("/media/")[2]
    assert await files.serve(path) == HookAnswer(503, b"try again")


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("gaia-2026-11-28.docx", "gaia-2026-11-28.docx"),
        ('a "quoted" name.docx', "a-quoted-name.docx"),
        ("line\r\nSet-Cookie: x=1.docx", "line-Set-Cookie.docx"),
        ("Größe der Tür.docx", "Gr-e-der-T-r.docx"),
        ("日本語.docx", "file.docx"),
        ("../../etc/passwd", "passwd.docx"),
        (".docx", "docx.docx"),
        ("", "file.docx"),
        ("page.html", "page.docx"),
        ("a-very-long-name-of-a-file.docx", "a-very-long-nam.docx"),
    ],
)
async def test_a_name_is_made_safe_and_has_the_ending_of_its_kind(
    files: OutgoingFiles, name: str, safe: str
) -> None:
    file = OutboundFile(name, WORD, 1)
    assert safe_name(file) == safe
    assert len(safe) <= LONGEST_NAME
    answer = await files.serve(path_of(files, file=file))
    assert answer.headers["Content-Disposition"] == f'inline; filename="{safe}"'


async def test_a_kind_that_is_not_known_is_never_shown_by_a_browser(files: OutgoingFiles) -> None:
    page = OutboundFile("page.html", "text/html", 1)
    answer = await files.serve(path_of(files, file=page))
    assert (answer.status, answer.media_type) == (200, "application/octet-stream")


def test_whatsapp_takes_documents_and_no_plain_text() -> None:
    assert takes(WORD)
    assert takes("application/pdf")
    assert not takes("text/plain")
    assert not takes("application/x-ndjson")
