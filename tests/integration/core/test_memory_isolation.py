"""Nobody ever reads a word of another's memory, whatever people, groups and models do.

People on two channels and a group give commands, have a model call tools with whatever
numbers, write to each other, look at their page, forget, become one, and are removed. Each
memory has a word of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule, run_state_machine_as_test

from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.paths import Home
from gaia.store.memory_tables import MemorySource
from gaia.testing.function_model import ToolCall
from tests.harness import marked_memories
from tests.harness.effort import rounds
from tests.harness.isolation import (
    CHAT,
    GROUPS,
    NUMBER,
    PEOPLE,
    PERSON,
    TOPIC,
    Chat,
    Household,
)
from tests.harness.marked_memories import CODE, MARK


class Talk(Household):
    """What they do."""

    @initialize()
    def open(self) -> None:
        super().open()
        for name in (*PEOPLE, *GROUPS):
            for topic in ("gate", "tea"):
                self.remembers_by_command(("fake", name), topic)

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.everybody_looks_around()
        super().teardown()

    def everybody_looks_around(self) -> None:
        """Whatever happened before, nobody sees anything of another's by then, and each
        can forget what the model was told of."""
        numbers = [number for number, *_ in self.rows()]
        for name in (*PEOPLE, *GROUPS):
            chat = ("fake", name)
            self.has_the_model_search(chat, "tea")
            for number in numbers[::3]:
                self.names_a_number(chat, "why", number)
            self.wants_to_forget(chat, "tea")
            self.confirms(chat, None)
            self.each_memory_is_its_owners()
            self.asks(chat, "gate")

    @rule(chat=CHAT, topic=TOPIC)
    def remembers_by_command(self, chat: Chat, topic: str) -> None:
        self.act(chat, f"/remember {self.statement(chat, topic)}")

    @rule(chat=CHAT, topic=TOPIC)
    def has_the_model_remember(self, chat: Chat, topic: str) -> None:
        self.act(chat, "keep it", ToolCall("remember", {"fact": self.statement(chat, topic)}))

    @rule(chat=CHAT, topic=TOPIC)
    def asks(self, chat: Chat, topic: str) -> None:
        self.act(chat, f"what about the {topic}?")

    @rule(chat=CHAT, topic=TOPIC)
    def has_the_model_search(self, chat: Chat, topic: str) -> None:
        self.act(chat, "look", ToolCall("load_memory", {"query": topic}))

    @rule(chat=CHAT, topic=TOPIC, number=NUMBER)
    def has_the_model_replace(self, chat: Chat, topic: str, number: int) -> None:
        statement = self.statement(chat, topic)
        call = ToolCall("update_memory", {"memory_id": number, "fact": statement})
        self.act(chat, f"not #{number}", call)

    @rule(chat=CHAT, number=NUMBER)
    def has_the_model_forget(self, chat: Chat, number: int) -> None:
        self.act(chat, f"drop #{number}", ToolCall("forget_memory", {"memory_id": number}))

    @rule(chat=CHAT, verb=st.sampled_from(["", "search gate", "search tea", "page 2"]))
    def looks(self, chat: Chat, verb: str) -> None:
        self.act(chat, f"/memory {verb}")

    @rule(chat=CHAT, verb=st.sampled_from(["why", "hide", "unhide", "pin", "unpin"]), number=NUMBER)
    def names_a_number(self, chat: Chat, verb: str, number: int) -> None:
        self.act(chat, f"/memory {verb} {number}")

    @rule(chat=CHAT, what=st.sampled_from(["", "gate", "tea", "3", "it"]))
    def wants_to_forget(self, chat: Chat, what: str) -> None:
        self.act(chat, f"/forget {what}")

    @rule(chat=CHAT, number=st.one_of(st.none(), NUMBER))
    def confirms(self, chat: Chat, number: int | None) -> None:
        self.act(chat, "/forget yes" if number is None else f"/forget yes {number}")

    @rule(chat=CHAT, topic=TOPIC, at=st.sampled_from(["in two hours", "every day at 9"]))
    def is_to_be_reminded(self, chat: Chat, topic: str, at: str) -> None:
        self.act(chat, f"/remind {at} {self.statement(chat, topic)}")

    @rule(chat=CHAT, topic=TOPIC)
    def has_the_model_remind(self, chat: Chat, topic: str) -> None:
        call = ToolCall("remind", {"what": self.statement(chat, topic), "when": "tomorrow at 9"})
        self.act(chat, "remind me", call)

    @rule(chat=CHAT, verb=st.sampled_from(["done", "snooze", "cancel", "restore"]), number=NUMBER)
    def names_a_reminder(self, chat: Chat, verb: str, number: int) -> None:
        self.act(chat, f"/reminders {verb} {number}")

    @rule(hours=st.sampled_from([1, 3, 25]))
    def time_passes(self, hours: int) -> None:
        """Reminders come, each to whom it is for."""
        self.core.clock.advance(hours * 3600)
        self.run(marked_memories.until_reminded(self.core))
        self.check()

    @rule(chat=CHAT, name=st.sampled_from(["work", "club", "off", ""]))
    def changes_context(self, chat: Chat, name: str) -> None:
        self.act(chat, f"/context {name}")

    @rule(chat=CHAT, topic=TOPIC)
    def proposes_to_share(self, chat: Chat, topic: str) -> None:
        """There is no owner who could."""
        self.act(chat, f"/share {self.statement(chat, topic)}")
        self.act(chat, "/shared")

    @rule(chat=CHAT, topic=TOPIC)
    def talks_incognito(self, chat: Chat, topic: str) -> None:
        """No file has a word of it in the end."""
        said = self.statement(chat, topic)
        self.hidden.update(MARK.findall(said))
        self.act(chat, "/incognito")
        self.act(chat, said, ToolCall("remember", {"fact": said}))
        self.act(chat, f"/remember {said}")
        self.act(chat, "/incognito off")

    @rule(chat=CHAT)
    def begins_again(self, chat: Chat) -> None:
        self.act(chat, "/reset")

    @rule(one=CHAT, other=CHAT, topic=TOPIC)
    def two_ask_at_once(self, one: Chat, other: Chat, topic: str) -> None:
        if one == other:
            return
        before = self.rows()
        self.run(self._both(self.say(one, f"the {topic}?"), self.say(other, f"the {topic}?")))
        assert self.rows() == before
        self.check()

    @rule(into=PERSON, gone=PERSON)
    def become_one(self, into: str, gone: str) -> None:
        """What both had is of the one who is left."""
        keeper, other = self.owner(("fake", into)), self.owner(("fake", gone))
        if keeper == other:
            return
        code = CODE.search(self.run(self.say(("fake", into), "/link")))
        assert code
        for answer in ("", " yes"):
            self.run(self.say(("fake", gone), f"/link {code[0]}{answer}"))
        assert self.owner(("pigeon", gone)) == keeper
        present = {other: keeper}
        self.owners = {mark: present.get(owner, owner) for mark, owner in self.owners.items()}
        self.passed = {mark: present.get(owner, owner) for mark, owner in self.passed.items()}
        self.letters = {
            mark: (present.get(by, by), present.get(to, to))
            for mark, (by, to) in self.letters.items()
        }
        self.check()

    @rule(name=PERSON)
    def is_removed_and_another_comes(self, name: str) -> None:
        """They have the name and the addresses, and nothing of what was remembered."""
        gone = self.owner(("fake", name))
        names = [each for each in PEOPLE if self.owner(("fake", each)) == gone]
        theirs = [row for row in self.rows() if row[1] != gone]
        self.run(self._replace(names))
        assert self.rows() == theirs
        self.check()

    @rule(chat=CHAT, kin=st.sampled_from(["sister", "boss", "friend"]))
    def has_somebody(self, chat: Chat, kin: str) -> None:
        """Whose name is the word."""
        name = MARK.findall(self.statement(chat, kin))[0]
        told = Statement(
            f"My {kin} is called {name}",
            MemorySource.DIGEST,
            subject=name,
            predicate=f"{kin} of",
            object="user",
        )
        owner, now = self.owner(chat), self.core.clock.now()
        self.run(self.core.database.write(ledger.add, owner, told, now))
        self.act(chat, f"what does my {kin} want?")

    @rule(chat=CHAT, who=st.sampled_from(["", "sister", "boss", "somebody else's"]))
    def looks_at_people(self, chat: Chat, who: str) -> None:
        names = sorted(self.owners)
        named = names[len(names) // 2] if who.startswith("somebody") else who
        told = self.run(self.say(chat, f"/people {named}"))
        # Who asks for a word has said it: theirs it is to forget as well.
        self.typed.add(named)
        if named not in MARK.findall(told) or self.owners.get(named) == self.owner(chat):
            self.check()
        else:
            # It says again what was asked for, and nothing that it knows.
            assert set(MARK.findall(told)) == {named}
            self.said[chat[0]] = len(self.channels[chat[0]].sent)

    @rule(chat=CHAT, to=PERSON, topic=TOPIC, by_model=st.booleans())
    def wants_to_tell(self, chat: Chat, to: str, topic: str, by_model: bool) -> None:
        """Nobody is told before the yes."""
        said = self.statement(chat, topic)
        self.letters[MARK.findall(said)[0]] = (self.owner(chat), self.owner(("fake", to)))
        if by_model:
            self.act(chat, "tell it", ToolCall("send_message", {"to": to, "text": said}))
        else:
            self.act(chat, f"/tell {to}: {said}")

    @rule(chat=CHAT, answer=st.sampled_from(["yes", "no"]), number=NUMBER)
    def answers_about_a_letter(self, chat: Chat, answer: str, number: int) -> None:
        if answer == "yes":
            writer = self.owner(chat)
            self.passed |= {mark: to for mark, (by, to) in self.letters.items() if by == writer}
        self.act(chat, f"/tell {answer} {number}")

    @rule(name=PERSON, number=NUMBER, deed=st.sampled_from(["pin", "hide", "edit", "forget"]))
    def opens_the_page(self, name: str, number: int, deed: str) -> None:
        """And does something there to whatever number."""
        owner, text = self.owner(("fake", name)), self.statement(("fake", name), "edit")
        others = [row for row in self.rows() if row[1] != owner]
        for page in self.run(self.pages_of(owner, number, deed, text)):
            self.look_at(owner, page)
        assert [row for row in self.rows() if row[1] != owner] == others
        self.check()


def test_nobody_reads_of_anothers_memory(
    new_home: Callable[[Path], Home], core_on: Callable[..., Any]
) -> None:
    Talk.new_home, Talk.core_on = staticmethod(new_home), staticmethod(core_on)
    run_state_machine_as_test(
        Talk,
        settings=settings(
            max_examples=rounds(1, thorough=400),
            stateful_step_count=rounds(25, thorough=250),
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert Talk.offered, "no memory ever went with a message: nothing was shown"
