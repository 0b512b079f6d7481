"""Albums: one turn, whatever the settle time, and in the order in which they came."""

from __future__ import annotations

import secrets
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gaia.messages import Address, Attachment, AttachmentKind, Inbound
from gaia.store import batches, conversations, inbox
from gaia.store.batches import ALBUM_SETTLE, BURST_MESSAGES, Batch
from gaia.store.engine import Database
from gaia.store.people.users import Role, Users
from gaia.store.tables import InboxState
from gaia.testing.clock import FakeClock
from tests.harness.effort import rounds

PHOTO = Attachment(AttachmentKind.PHOTO, "file-1", "image/jpeg", size_bytes=10)
SETTLE = timedelta(seconds=0.4)


class Chat:
    """One chat: messages come in, and turns are taken."""

    def __init__(self, database: Database, clock: FakeClock) -> None:
        self._database = database
        self._clock = clock
        self._name = secrets.token_hex(4)
        self._written = 0
        self._taken = 0

    async def begin(self) -> None:
        user = await Users(self._database, self._clock).create(
            self._name, Role.MEMBER, Address("fake", self._name)
        )
        self._conversation = await self._database.write(
            conversations.find_or_create,
            user_id=user.user_id,
            channel="fake",
            chat="ada",
            direct=True,
            now=self._clock.now(),
        )

    async def write(self, text: str = "", album: str | None = None) -> None:
        self._written += 1
        inbound = Inbound(
            address=Address("fake", "ada"),
            chat="ada",
            provider_message_id=f"{self._name}-{self._written}",
            text=text,
            sent_at=self._clock.now(),
            attachments=(PHOTO,) if album else (),
            album=album,
        )
        await self._database.write(
            inbox.record, inbound, self._conversation, is_command=False, now=self._clock.now()
        )

    async def wait(self, settle: timedelta = SETTLE) -> timedelta | None:
        # What a read begins is rolled back.
        taken = await self._database.read(
            batches.take,
            self._conversation.conversation_id,
            turn_id="later",
            settle=settle,
            now=self._clock.now(),
        )
        return timedelta(0) if isinstance(taken, Batch) else taken

    async def take(self, settle: timedelta = SETTLE) -> Batch | None:
        self._taken += 1
        taken = await self._database.write(
            batches.take,
            self._conversation.conversation_id,
            turn_id=f"{self._name}-turn-{self._taken}",
            settle=settle,
            now=self._clock.now() + timedelta(hours=1),
        )
        return taken if isinstance(taken, Batch) else None


@pytest.fixture
async def chat(database: Database, clock: FakeClock) -> Chat:
    chat = Chat(database, clock)
    await chat.begin()
    return chat


@pytest.mark.parametrize("settle", [timedelta(0), SETTLE])
async def test_an_album_settles_for_half_a_second_after_its_last_photo(
    chat: Chat, clock: FakeClock, settle: timedelta
) -> None:
    await chat.write("look", album="a")
    assert await chat.wait(settle) == ALBUM_SETTLE
    clock.advance(0.45)
    await chat.write(album="a")
    assert await chat.wait(settle) == ALBUM_SETTLE
    clock.advance(0.5)
    assert await chat.wait(settle) == timedelta(0)
    batch = await chat.take(settle)
    assert batch is not None
    assert batch.text == "look\n"
    assert [message.attachments for message in batch.messages] == [(PHOTO,), (PHOTO,)]


async def test_a_longer_settle_time_holds_for_albums_too(chat: Chat) -> None:
    await chat.write(album="a")
    assert await chat.wait(timedelta(seconds=3)) == timedelta(seconds=3)


async def test_a_photo_that_comes_late_while_its_album_waits_is_part_of_its_turn(
    chat: Chat, clock: FakeClock
) -> None:
    await chat.write("one", album="a")
    clock.advance(3)
    await chat.write("two", album="a")
    clock.advance(1)
    await chat.write("three")
    batch = await chat.take()
    assert batch is not None
    assert batch.text == "one\ntwo"


@pytest.mark.parametrize("settle", [timedelta(0), SETTLE])
async def test_words_right_after_an_album_belong_to_its_turn(
    chat: Chat, clock: FakeClock, settle: timedelta
) -> None:
    await chat.write(album="a")
    clock.advance(0.45)
    await chat.write("what is this?")
    batch = await chat.take(settle)
    assert batch is not None
    assert batch.text == "\nwhat is this?"


async def test_an_album_across_the_end_of_a_burst_is_for_the_next_turn(
    chat: Chat, clock: FakeClock, database: Database
) -> None:
    for _ in range(BURST_MESSAGES - 2):
        await chat.write("word")
    for _ in range(4):
        await chat.write("photo", album="a")
    clock.advance(1)
    assert await chat.wait() == timedelta(0)
    words = await chat.take()
    assert words is not None
    assert len(words.messages) == BURST_MESSAGES - 2
    await database.write(inbox.finish, words.turn_id, InboxState.DONE, clock.now())
    photos = await chat.take()
    assert photos is not None
    assert len(photos.messages) == 4


async def test_a_full_turn_tells_that_others_wait_behind_it(chat: Chat, clock: FakeClock) -> None:
    for _ in range(BURST_MESSAGES + 1):
        await chat.write("word")
    clock.advance(1)
    full = await chat.take()
    assert full is not None
    assert (len(full.messages), full.more_wait) == (BURST_MESSAGES, True)


async def test_what_came_between_the_photos_of_an_album_goes_along_in_order(
    chat: Chat, clock: FakeClock
) -> None:
    for text, album in (("one", "a"), ("two", None), ("three", "b"), ("four", "a"), ("five", "b")):
        await chat.write(text, album)
        clock.advance(0.6)
    batch = await chat.take()
    assert batch is not None
    assert batch.text == "one\ntwo\nthree\nfour\nfive"


async def test_an_album_in_a_burst_that_never_pauses_is_not_cut(
    chat: Chat, clock: FakeClock
) -> None:
    for number in range(10):
        await chat.write(str(number))
        clock.advance(0.39)
    await chat.write("first", album="a")
    clock.advance(0.2)
    assert await chat.wait() == timedelta(seconds=0.3)
    await chat.write("last", album="a")
    await chat.write("later")
    batch = await chat.take()
    assert batch is not None
    assert batch.text.endswith("9\nfirst\nlast")


async def test_another_album_after_a_pause_is_another_turn(chat: Chat, clock: FakeClock) -> None:
    await chat.write("one", album="a")
    clock.advance(0.5)
    await chat.write("two", album="b")
    batch = await chat.take()
    assert batch is not None
    assert batch.text == "one"


@settings(
    max_examples=rounds(15, thorough=40), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(
    st.lists(
        st.tuples(st.sampled_from([None, "a", "b"]), st.sampled_from([0.0, 0.2, 0.45, 0.7, 5.0])),
        min_size=1,
        max_size=20,
    )
)
async def test_no_album_is_ever_in_two_turns_and_the_order_stays(
    database: Database, clock: FakeClock, written: list[tuple[str | None, float]]
) -> None:
    chat = Chat(database, clock)
    await chat.begin()
    for number, (album, pause) in enumerate(written):
        clock.advance(pause)
        await chat.write(str(number), album)
    turns: list[list[str]] = []
    while (batch := await chat.take()) is not None:
        await database.write(inbox.finish, batch.turn_id, InboxState.DONE, clock.now())
        turns.append([message.text for message in batch.messages])
    assert [text for turn in turns for text in turn] == [str(n) for n in range(len(written))]
    for album in ("a", "b"):
        of_album = {str(n) for n, (name, _) in enumerate(written) if name == album}
        assert sum(not of_album.isdisjoint(turn) for turn in turns) == (1 if of_album else 0)
