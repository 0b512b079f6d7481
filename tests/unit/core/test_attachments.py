"""Files for a turn: fetched within bounds, and told of when they cannot be had."""

from __future__ import annotations

import asyncio

import pytest

from gaia.agent.enclosures import PDF, Document, Enclosure, Intake, Media
from gaia.agent.models import ChatModel
from gaia.core.attachments import (
    FETCH_SECONDS,
    FETCHES_AT_ONCE,
    MEGABYTE,
    MOST_ENCLOSURES,
    Attachments,
    Gathered,
)
from gaia.core.message_text import Fate
from gaia.messages import Attachment, AttachmentKind
from gaia.settings.schema import LimitsSettings
from gaia.testing.clock import FakeClock
from gaia.testing.fake_channel import FakeChannel
from gaia.testing.function_model import FunctionModel

JPEG = b"\xff\xd8\xff"
"""How such a picture begins."""
INTAKE = Intake(frozenset({"image/jpeg", PDF}), document_characters=100)


class Provider(FakeChannel):
    """A channel with a mistake in how it fetches the files in `broken`. `busiest` is
    how many fetches it had at once."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.broken: set[str] = set()
        self.busy = 0
        self.busiest = 0

    async def fetch(self, attachment: Attachment, *, limit_bytes: int) -> bytes:
        self.busy += 1
        self.busiest = max(self.busiest, self.busy)
        try:
            await asyncio.sleep(0)
            if attachment.file_id in self.broken:
                raise KeyError(attachment.file_id)
            return await super().fetch(attachment, limit_bytes=limit_bytes)
        finally:
            self.busy -= 1


class Bench:
    """Attachments, and a provider that has their files."""

    def __init__(self, intake: Intake = INTAKE, megabytes: float = 20.0) -> None:
        self.clock = FakeClock()
        self.channel = Provider(self.clock)
        model = ChatModel(FunctionModel(lambda r: "hi"), "embedded", "m", intake=intake)
        limits = LimitsSettings(attachment_megabytes=megabytes)
        self.attachments = Attachments(model, self.clock, limits)

    def photo(self, name: str, content: bytes = b"", *, stated: int | None = None) -> Attachment:
        self.channel.files[name] = JPEG + content
        return Attachment(AttachmentKind.PHOTO, name, "image/jpg", size_bytes=stated)

    def document(self, name: str, content: bytes, media_type: str = "text/plain") -> Attachment:
        self.channel.files[name] = content
        return Attachment(AttachmentKind.DOCUMENT, name, media_type, len(content), f"{name}.txt")

    async def gather(self, *present: Attachment, earlier: tuple[Attachment, ...] = ()) -> Gathered:
        return await self.attachments.gather(self.channel, present, earlier)


def contents(enclosures: tuple[Enclosure, ...]) -> list[str | bytes]:
    return [
        one.content.removeprefix(JPEG) if isinstance(one, Media) else one.text for one in enclosures
    ]


@pytest.fixture
def bench() -> Bench:
    return Bench()


async def test_what_the_model_takes_is_given_to_it_in_order(bench: Bench) -> None:
    one, two = bench.photo("one", b"1"), bench.photo("two", b"2")
    gathered = await bench.gather(one, two)
    assert gathered.enclosures == (
        Media("photo", "image/jpeg", JPEG + b"1"),
        Media("photo", "image/jpeg", JPEG + b"2"),
    )
    assert gathered.fates == {}


async def test_what_the_model_does_not_take_is_not_fetched(bench: Bench) -> None:
    voice = Attachment(AttachmentKind.VOICE, "v", "audio/ogg")
    gathered = await bench.gather(voice)
    assert gathered == Gathered({}, {voice: Fate.UNREADABLE})
    assert bench.channel.fetched == []


async def test_a_file_that_cannot_be_had_is_told_and_the_others_come(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    gone = Attachment(AttachmentKind.PHOTO, "gone", "image/jpeg")
    broken, fine = bench.photo("broken"), bench.photo("fine", b"fine")
    bench.channel.broken.add("broken")
    gathered = await bench.gather(gone, broken, fine)
    assert contents(gathered.enclosures) == [b"fine"]
    assert gathered.fates == {gone: Fate.FAILED, broken: Fate.FAILED}
    # A mistake of the channel's own is shown where it is; a file that is gone is no mistake.
    assert [bool(record.exc_info) for record in caplog.records].count(True) == 1


async def test_a_file_that_never_comes_holds_the_turn_up_for_a_while_only(bench: Bench) -> None:
    slow, fine = bench.photo("slow"), bench.photo("fine", b"fine")
    bench.channel.stuck.add("slow")
    async with asyncio.TaskGroup() as group:
        gathering = group.create_task(bench.gather(slow, fine))
        await bench.clock.until_sleeping()
        bench.clock.advance(FETCH_SECONDS)
    gathered = gathering.result()
    assert contents(gathered.enclosures) == [b"fine"]
    assert gathered.fates == {slow: Fate.FAILED}
    assert bench.channel.busy == 0


async def test_few_files_are_fetched_at_once(bench: Bench) -> None:
    await bench.gather(*(bench.photo(str(number)) for number in range(9)))
    assert bench.channel.busiest == FETCHES_AT_ONCE


@pytest.mark.parametrize("megabytes", [0.0, 1.0])
async def test_a_file_that_says_it_is_too_large_is_not_fetched(megabytes: float) -> None:
    bench = Bench(megabytes=megabytes)
    large = bench.photo("large", stated=MEGABYTE + 1)
    assert (await bench.gather(large)).fates == {large: Fate.TOO_LARGE}
    assert bench.channel.fetched == []


async def test_a_file_that_turns_out_too_large_is_told() -> None:
    bench = Bench(megabytes=0.001)
    large = bench.photo("large", b"x" * 2000, stated=10)
    assert (await bench.gather(large)).fates == {large: Fate.FAILED}


async def test_of_too_many_files_the_newest_are_given(bench: Bench) -> None:
    earlier = tuple(bench.photo(f"earlier-{n}", b"e%d" % n) for n in range(6))
    present = tuple(bench.photo(f"present-{n}", b"p%d" % n) for n in range(MOST_ENCLOSURES - 2))
    gathered = await bench.gather(*present, earlier=earlier)
    given = contents(gathered.enclosures)
    assert given == [b"e4", b"e5", *(b"p%d" % n for n in range(MOST_ENCLOSURES - 2))]
    assert set(gathered.fates.values()) == {Fate.CROWDED}
    assert not set(bench.channel.fetched) & {"earlier-0", "earlier-3"}


@pytest.mark.parametrize("is_stated", [True, False])
async def test_of_files_too_large_together_the_newest_are_given(is_stated: bool) -> None:
    bench = Bench()
    size = 8 * MEGABYTE
    stated = size if is_stated else None
    old, middle, new = (bench.photo(n, n.encode() * size, stated=stated) for n in "abc")
    gathered = await bench.gather(middle, new, earlier=(old,))
    assert [one[:1] for one in contents(gathered.enclosures)] == [b"b", b"c"]
    assert gathered.fates == {old: Fate.CROWDED}
    assert ("a" in bench.channel.fetched) is not is_stated


async def test_a_document_of_text_is_read_whatever_the_model_takes() -> None:
    bench = Bench(Intake(document_characters=8))
    gathered = await bench.gather(bench.document("a", "Grüße, Ada".encode()))
    (document,) = gathered.enclosures
    assert document == Document('document "a.txt", text/plain, 12 bytes', "Grüße, A", left_out=2)


async def test_documents_share_the_room_that_there_is(bench: Bench) -> None:
    old, new = bench.document("old", b"o" * 70), bench.document("new", b"n" * 70)
    oldest = bench.document("oldest", b"oldest")
    gathered = await bench.gather(oldest, old, new)
    assert contents(gathered.enclosures) == ["o" * 30, "n" * 70]
    assert gathered.fates == {oldest: Fate.CROWDED}


async def test_a_document_that_is_no_text_or_has_none_is_told(bench: Bench) -> None:
    binary, empty = bench.document("binary", b"PK\0\0"), bench.document("empty", b"")
    gathered = await bench.gather(binary, empty)
    assert gathered == Gathered({}, {binary: Fate.UNREADABLE, empty: Fate.EMPTY})


async def test_a_picture_sent_as_something_else_is_looked_at(bench: Bench) -> None:
    picture = bench.document("picture", JPEG + bytes(9), "application/octet-stream")
    (media,) = (await bench.gather(picture)).enclosures
    assert isinstance(media, Media)
    assert media.media_type == "image/jpeg"
    assert media.label.endswith("application/octet-stream, 12 bytes, by its content image/jpeg")


async def test_a_text_sent_as_something_else_is_read_out(bench: Bench) -> None:
    note = bench.document("note", b"buy milk", "application/pdf")
    assert contents((await bench.gather(note)).enclosures) == ["buy milk"]


async def test_what_is_not_the_picture_that_it_is_called_is_told(bench: Bench) -> None:
    picture = bench.photo("picture")
    bench.channel.files["picture"] = b"RIFF\x24\0\0\0WEBPVP8 \xff\0"
    assert (await bench.gather(picture)).fates == {picture: Fate.UNREADABLE}


async def test_a_guess_at_the_encoding_is_passed_on(bench: Bench) -> None:
    (document,) = (await bench.gather(bench.document("a", "5 €".encode("cp1252")))).enclosures
    assert isinstance(document, Document)
    assert "which is a guess" in document.doubt


async def test_files_of_earlier_messages_say_so_and_come_first(bench: Bench) -> None:
    earlier, present = bench.photo("earlier", b"e"), bench.photo("present", b"p")
    gathered = await bench.gather(present, earlier=(earlier,))
    assert [one.label for one in gathered.enclosures] == [
        "photo, from an earlier message",
        "photo",
    ]


async def test_a_file_that_was_fetched_lately_is_not_fetched_again(bench: Bench) -> None:
    photo = bench.photo("photo", b"p")
    await bench.gather(photo)
    gathered = await bench.gather(photo, earlier=(photo,))
    assert contents(gathered.enclosures) == [b"p"]
    assert [one.label for one in gathered.enclosures] == ["photo"]
    assert bench.channel.fetched == ["photo"]


async def test_a_model_that_refuses_gets_no_media_and_then_nothing(bench: Bench) -> None:
    photo, notes = bench.photo("photo"), bench.document("notes", b"notes")
    gathered = await bench.gather(photo, notes)
    without_media = gathered.fewer()
    assert without_media is not None
    assert contents(without_media.enclosures) == ["notes"]
    assert without_media.fates == {photo: Fate.REFUSED}
    without_all = without_media.fewer()
    assert without_all == Gathered({}, {photo: Fate.REFUSED, notes: Fate.REFUSED})
    assert without_all.fewer() is None


async def test_what_was_refused_is_not_given_again(bench: Bench) -> None:
    photo, other = bench.photo("photo"), bench.photo("other", b"other")
    refused = (await bench.gather(photo)).fewer()
    assert refused is not None
    bench.attachments.remember_refused(bench.channel, refused)
    gathered = await bench.gather(other, earlier=(photo,))
    assert contents(gathered.enclosures) == [b"other"]
    assert gathered.fates == {photo: Fate.REFUSED}
