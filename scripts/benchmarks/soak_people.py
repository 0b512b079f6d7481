"""The people of a soak: what they say, through a channel that sees to it that each message is
answered once."""

from __future__ import annotations

import asyncio
import random
import re
import time
from dataclasses import dataclass, field

from gaia.messages import Outbound, TurnEvent
from gaia.testing.clock import FakeClock
from gaia.testing.fake_channel import FakeChannel

NAMES = ("ada", "bob", "cleo")
"""The people of the home, the owner first."""

CHANNEL = "post"
PATIENCE_SECONDS = 120.0

WORD_START = "Zq"
"""Begins each made-up word, so that they are found fast in files."""
CONSONANTS = "bdfgklmnprstvz"
VOWELS = "aeiou"
SYLLABLES = 3

TOPICS = ("the garden", "a train to Ulm", "dinner", "the weather", "a book", "the boat", "work")
COMMANDS = ("/memory", "/status", "/whoami", "/help")
SURE = "contains your words"
"""In the question of /forget: it is about memories that hold the word itself."""
CONFIRM = re.compile(r"/forget yes \d+")

SHARES = {"chat": 84, "like": 5, "remember": 3, "ask": 3, "command": 2, "reset": 1, "forget": 2}
"""How many of a hundred messages are of each kind."""


class Post(FakeChannel):
    """A channel that keeps nothing of what it sends but whom it has answered.

    `faults` tells which messages were answered twice, or by nobody's leave.
    """

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock, name=CHANNEL)
        self.faults: list[str] = []
        self._open: dict[str, asyncio.Future[str] | None] = {}
        self._answered: set[str] = set()

    @property
    def without_answer(self) -> list[str]:
        """The messages that have no answer yet."""
        return list(self._open)

    def expect(self, message_id: str) -> None:
        """Note a message that another process said, and that was not answered there."""
        self._open[message_id] = None

    def note(self, message_id: str) -> None:
        """Note a message that was answered in another process."""
        self._answered.add(message_id)

    def turn_page(self) -> None:
        """Forget who was answered: none of them is answered again after a while."""
        self._answered.clear()

    async def ask(self, text: str, sender: str, message_id: str) -> str:
        """Say something; returns the answer."""
        answer = self._open[message_id] = asyncio.get_running_loop().create_future()
        await self.say(text, sender=sender, provider_message_id=message_id)
        return await asyncio.wait_for(answer, PATIENCE_SECONDS)

    async def send(self, outbound: Outbound) -> str:
        for message_id in outbound.in_reply_to if outbound.final else ():
            self.answered(message_id, outbound)
        return self.provider_id(outbound.outbox_id, 1)

    def answered(self, message_id: str, outbound: Outbound) -> None:
        """Take an answer to a message."""
        if message_id not in self._open:
            known = message_id in self._answered
            if not (known and outbound.is_repeat):
                what = "a second time" if known else "though nobody is known to have said it"
                self.faults.append(f"message {message_id} was answered {what}")
            return
        waiting = self._open.pop(message_id)
        self._answered.add(message_id)
        if outbound.is_failure:
            self.faults.append(f"message {message_id} has no answer: {outbound.text}")
        if waiting is not None and not waiting.done():
            waiting.set_result(outbound.text)

    def watch(self, event: TurnEvent) -> None:
        """Nobody watches."""


@dataclass(slots=True)
class Person:
    """Somebody of the home, and the made-up words that gaia knows from them."""

    name: str
    words: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Talk:
    """What people say, by a random number generator; `forgotten` are the words that nobody
    may find any more, and `taken` the processor seconds of the last turns."""

    post: Post
    chance: random.Random
    said: int = 0
    forgotten: list[str] = field(default_factory=list)
    taken: list[float] = field(default_factory=list)
    _made: set[str] = field(default_factory=set)

    async def something(self, person: Person) -> None:
        """Have a person say something and be answered."""
        (kind,) = self.chance.choices(list(SHARES), list(SHARES.values()))
        match kind:
            case "like":
                word = self._new_word()
                await self._say(person, f"I like {word} tea")
                person.words.append(word)
            case "remember":
                await self.remember(person)
            case "ask" if person.words:
                word = self.chance.choice(person.words)
                await self._say(person, f"What do you know of {word}?")
            case "command":
                await self._say(person, self.chance.choice(COMMANDS))
            case "reset":
                await self._say(person, "/reset")
            case "forget" if person.words:
                await self._forget(person, self.chance.choice(person.words))
            case _:
                topic = self.chance.choice(TOPICS)
                await self._turn(person, f"This is message {self.said} and about {topic}.")

    async def remember(self, person: Person) -> None:
        """Have something kept that nobody has said before."""
        word = self._new_word()
        await self._say(person, f"/remember My friend {word} lives in Ulm")
        person.words.append(word)

    async def _forget(self, person: Person, word: str) -> None:
        question = await self._say(person, f"/forget {word}")
        confirm = CONFIRM.search(question)
        if confirm is None or SURE not in question:
            return
        await self._say(person, confirm[0])
        person.words.remove(word)
        self.forgotten.append(word)

    async def _turn(self, person: Person, text: str) -> None:
        started = time.process_time()
        await self._say(person, text)
        self.taken.append(time.process_time() - started)

    async def _say(self, person: Person, text: str) -> str:
        self.said += 1
        return await self.post.ask(text, person.name, f"message-{self.said}")

    def _new_word(self) -> str:
        while True:
            syllables = (
                self.chance.choice(CONSONANTS) + self.chance.choice(VOWELS)
                for _ in range(SYLLABLES)
            )
            word = WORD_START + "".join(syllables)
            if word not in self._made:
                self._made.add(word)
                return word
