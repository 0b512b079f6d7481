"""Long pastes: what an app cut into several messages is one message of one turn."""

from __future__ import annotations

import secrets
from datetime import timedelta

import pytest

from gaia.messages import Address, Inbound
from gaia.store import batches, conversations, inbox
from gaia.store.batches import Batch
from gaia.store.engine import Database
from gaia.store.pastes import FULL, PART_SETTLE
from gaia.store.people.users import Role, Users
from gaia.testing.clock import FakeClock

SETTLE = timedelta(seconds=0.4)
WORD, LINES = "x" * FULL, "first\n" * 650 + "the end."
SENTENCES = "One more sentence. " * 210 + "The last."


class Chat:
    """One chat, in which parts come in."""

    def __init__(self, database: Database, clock: FakeClock) -> None:
        self._database, self._clock = database, clock
        self._name, self._written = secrets.token_hex(4), 0

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

    async def write(
        self,
        text: str,
        author: str | None = None,
        notes: tuple[str, ...] = (),
        is_forwarded: bool = False,
    ) -> None:
        self._written += 1
        inbound = Inbound(
            address=Address("fake", "ada"),
            chat="ada",
            provider_message_id=f"{self._name}-{self._written}",
            text=text,
            sent_at=self._clock.now(),
            author=author,
            notes=notes,
            is_forwarded=is_forwarded,
        )
        await self._database.write(
            inbox.record, inbound, self._conversation, is_command=False, now=self._clock.now()
        )

    async def take(self, settle: timedelta = SETTLE) -> Batch | timedelta | None:
        return await self._database.write(
            batches.take,
            self._conversation.conversation_id,
            turn_id=secrets.token_hex(4),
            settle=settle,
            now=self._clock.now(),
        )


@pytest.fixture
async def chat(database: Database, clock: FakeClock) -> Chat:
    chat = Chat(database, clock)
    await chat.begin()
    return chat


async def taken(chat: Chat, clock: FakeClock) -> Batch:
    clock.advance(60)
    batch = await chat.take()
    assert isinstance(batch, Batch)
    return batch


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ((WORD, "tail"), WORD + "tail"),
        ((WORD, WORD, WORD, "tail"), 3 * WORD + "tail"),
        (("ж" * FULL, "хвост"), "ж" * FULL + "хвост"),
        (("😀" * (FULL // 2), "😀"), "😀" * (FULL // 2 + 1)),
        ((LINES, "next line"), f"{LINES}\nnext line"),
        ((SENTENCES, "And on."), f"{SENTENCES} And on."),
        (("a" * (FULL - 6), "word, and on"), "a" * (FULL - 6) + " word, and on"),
    ],
)
async def test_parts_are_one_message_joined_as_they_were_cut(
    chat: Chat, clock: FakeClock, parts: tuple[str, ...], whole: str
) -> None:
    for part in parts:
        await chat.write(part)
        clock.advance(2.5)
    batch = await taken(chat, clock)
    assert [message.text for message in batch.messages] == [whole]
    assert batch.text == whole
    assert len(batch.provider_message_ids) == len(parts)


async def test_a_full_message_waits_for_its_next_part_and_the_last_does_not(
    chat: Chat, clock: FakeClock
) -> None:
    await chat.write(WORD)
    assert await chat.take() == PART_SETTLE
    clock.advance(2)
    await chat.write("tail")
    assert await chat.take() == SETTLE


async def test_a_paste_is_whole_however_long_its_parts_take_and_what_came_before(
    chat: Chat, clock: FakeClock
) -> None:
    await chat.write("Look at this:")
    for _ in range(20):
        clock.advance(0.3)
        await chat.write(WORD)
        clock.advance(2)
        await chat.write(WORD)
        clock.advance(0.3)
    await chat.write("tail")
    batch = await taken(chat, clock)
    assert [message.text for message in batch.messages] == ["Look at this:", 40 * WORD + "tail"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"text": "x" * 3000}, {"text": "short"}),
        ({"text": WORD, "author": "ada"}, {"text": "tail", "author": "bob"}),
        ({"text": WORD}, {"text": "what about that?", "notes": ("(in reply to “it”)",)}),
        ({"text": WORD, "is_forwarded": True}, {"text": "what about that?"}),
        ({"text": WORD}, {"text": ""}),
    ],
)
async def test_what_is_no_next_part_is_a_message_of_its_own(
    chat: Chat, clock: FakeClock, first: dict[str, object], second: dict[str, object]
) -> None:
    await chat.write(**first)  # type: ignore[arg-type]
    await chat.write(**second)  # type: ignore[arg-type]
    batch = await taken(chat, clock)
    assert [message.text for message in batch.messages] == [first["text"], second["text"]]


async def test_a_forwarded_paste_is_one_forwarded_message(chat: Chat, clock: FakeClock) -> None:
    for part in (WORD, "tail"):
        await chat.write(part, notes=("(forwarded from Bob)",), is_forwarded=True)
    (message,) = (await taken(chat, clock)).messages
    assert (message.text, message.is_forwarded) == (WORD + "tail", True)
    assert message.notes == ("(forwarded from Bob)",)


async def test_what_comes_later_is_the_next_turn(chat: Chat, clock: FakeClock) -> None:
    await chat.write(WORD)
    clock.advance(3)
    await chat.write("later")
    batch = await chat.take()
    assert isinstance(batch, Batch)
    assert batch.text == WORD


async def test_where_nothing_settles_a_long_message_does_not_wait(chat: Chat) -> None:
    await chat.write(WORD)
    assert isinstance(await chat.take(timedelta(0)), Batch)


@pytest.mark.parametrize(("back", "turns"), [(3_600, 2), (0.1, 1)])
async def test_a_clock_that_was_set_back_is_a_pause_as_long_as_that(
    chat: Chat, clock: FakeClock, back: float, turns: int
) -> None:
    await chat.write("one")
    clock.advance(-back)
    await chat.write("two")
    batch = await taken(chat, clock)
    assert len(batch.messages) == 3 - turns


async def test_without_a_time_to_settle_no_clock_makes_two_messages_one_turn(
    chat: Chat, clock: FakeClock
) -> None:
    for text in ("one", "two"):
        await chat.write(text)
        clock.advance(-86_400)
    batch = await chat.take(timedelta(0))
    assert isinstance(batch, Batch)
    assert batch.text == "one"
