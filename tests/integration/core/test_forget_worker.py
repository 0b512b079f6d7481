"""What was forgotten is in no file any more, and in no prompt; what others said is."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing

import pytest

from gaia import logs
from gaia.memory import forget, ledger
from gaia.memory.memory import Statement
from gaia.messages import Button
from gaia.settings.schema import LoggingSettings
from gaia.store import forgets, outbox
from gaia.store.memory_tables import MemorySource
from gaia.store.redaction import REPLACEMENT
from gaia.testing.function_model import ToolCall, last_user_text
from tests.harness.databases import rows
from tests.harness.traces import files_with, newest_in

POT = "the gate code is under the blue pot"
TRACES = ("blue pot", "gate code", "bluepotgate")


async def sent_after(core, text: str, **changes: object):
    count = len(core.channel.sent)
    await core.channel.say(text, **changes)
    return (await core.channel.until_sent(count + 1))[count]


async def requests(core) -> list[forgets.Forget]:
    return list(await core.database.read(forgets.under_way))


async def until_forgotten(core) -> None:
    """Let time pass until nothing is left to be forgotten."""
    while await requests(core):
        await asyncio.sleep(0)
        if core.clock.sleeping:
            core.clock.advance(core.clock.sleeping[0])


async def forget_it(core, words: str = "gate code", **changes: object) -> None:
    question = await sent_after(core, f"/forget {words}", **changes)
    done = await sent_after(core, question.buttons[0].command, **changes)
    assert done.text.startswith("Forgotten")
    await until_forgotten(core)


def answer(request) -> str:
    said = last_user_text(request)
    return f"Noted: {said}" if "gate" in said else "Fine."


async def test_no_file_holds_it_and_the_rest_is_there(running_core, home):
    async with running_core(answer, senders=("ada", "bob")) as core:
        await sent_after(core, f"/remember {POT}")
        await sent_after(core, f"By the way, {POT}!")
        await sent_after(core, "My cat is called Tom")
        await sent_after(core, "/memory")
        assert newest_in(home) in files_with(home.root, *TRACES)
        await forget_it(core)
        assert files_with(home.root, *TRACES) == []
        assert await core.transcript() == [
            f"user: {REPLACEMENT}",
            f"gaia: {REPLACEMENT}",
            "user: My cat is called Tom",
            "gaia: Fine.",
        ]


async def test_a_memory_that_was_kept_of_the_same_words_stays_without_them(running_core, home):
    words = f"I have a dog, and {POT}"

    def keeps_both(request):
        if last_user_text(request) != words:
            return "Fine."
        facts = ["Has a dog", POT]
        earlier = [part for content in request.contents for part in content.parts]
        kept = sum(part.function_response is not None for part in earlier)
        return ToolCall("remember", {"fact": facts[kept]}) if kept < len(facts) else "Both."

    async with running_core(keeps_both) as core:
        await sent_after(core, words)
        await forget_it(core)
        ada = await core.users.find("ada")
        (memory,) = (await core.database.read(ledger.page, ada.user_id)).memories
        assert (memory.text, memory.quote) == ("Has a dog", None)
        assert files_with(home.root, *TRACES) == []


async def test_what_other_people_said_stays_word_for_word(running_core, home):
    async with running_core(answer, senders=("ada", "bob")) as core:
        for sender in ("ada", "bob"):
            await sent_after(core, f"/remember {POT}", sender=sender)
            await sent_after(core, f"You know, {POT}", sender=sender)
        before = await core.transcript("bob")
        await forget_it(core)
        assert await core.transcript("bob") == before
        bob = await core.users.find("bob")
        (memory,) = (await core.database.read(ledger.page, bob.user_id)).memories
        assert memory.text == POT
        said = rows(home, "SELECT text FROM inbox WHERE conversation_id = 2 ORDER BY inbox_id")
        assert [text for (text,) in said] == [f"/remember {POT}", f"You know, {POT}"]


async def test_the_next_prompt_does_not_hold_it(running_core):
    async with running_core(answer) as core:
        await sent_after(core, f"/remember {POT}")
        await sent_after(core, f"You know, {POT}")
        question = await sent_after(core, "/forget gate code")
        await sent_after(core, question.buttons[0].command)
        await sent_after(core, "What did I tell you?")
        request = core.model.requests[-1].model_dump_json()
        assert REPLACEMENT in request
        assert not any(trace in request for trace in TRACES)


async def test_what_a_tool_was_told_goes_and_its_structure_stays(running_core, home):
    def remembers(request):
        if last_user_text(request) == f"Remember that {POT}":
            has_result = any(part.function_response for part in request.contents[-1].parts)
            return "I will." if has_result else ToolCall("remember", {"fact": POT})
        return "Fine."

    async with running_core(remembers) as core:
        await sent_after(core, f"Remember that {POT}")
        key = await core.key()
        before = await core.events(key)
        await forget_it(core)
        after = await core.events(key)
        assert [event.id for event in after] == [event.id for event in before]
        (call,) = after[1].get_function_calls()
        (result,) = after[2].get_function_responses()
        assert (call.id, call.name) == (result.id, result.name)
        assert call.args == {"fact": REPLACEMENT}
        assert files_with(home.root, *TRACES) == []
        await sent_after(core, "Hello")
        assert core.channel.sent[-1].text == "Fine."


async def test_a_turn_that_runs_meanwhile_is_looked_at_when_it_ends(running_core, home):
    text = f"Tell me again: {POT}"
    async with running_core(answer) as core:
        await sent_after(core, f"/remember {POT}")
        core.model.hold(text)
        await core.channel.say(text)
        await core.model.until_asked(text)
        question = await sent_after(core, "/forget gate code")
        await sent_after(core, question.buttons[0].command)
        assert files_with(home.root, *TRACES) != []
        count = len(core.channel.sent)
        core.model.let_go(text)
        await core.channel.until_sent(count + 1)
        await until_forgotten(core)
        assert files_with(home.root, *TRACES) == []


async def test_a_wish_that_takes_too_long_is_told_in_the_status(running_core):
    async with running_core(answer) as core:
        await sent_after(core, f"/remember {POT}")
        core.model.hold("Hello")
        await core.channel.say("Hello")
        await core.model.until_asked("Hello")
        question = await sent_after(core, "/forget gate code")
        await sent_after(core, question.buttons[0].command)
        assert (await core.app.status.report()).forgetting.ok
        core.clock.advance(601)
        late = await core.app.status.report()
        assert late.forgetting in late.degraded
        core.model.let_go("Hello")
        await until_forgotten(core)
        assert (await core.app.status.report()).forgetting.ok


async def test_what_is_said_afterwards_stays(running_core):
    async with running_core(answer) as core:
        await sent_after(core, f"/remember {POT}")
        core.channel.absent.add("nobody")
        question = await sent_after(core, "/forget gate code")
        await sent_after(core, question.buttons[0].command)
        again = await sent_after(core, f"No, wait: {POT}")
        await until_forgotten(core)
        assert again.text == f"Noted: No, wait: {POT}"
        assert (await core.transcript())[-2:] == [f"user: No, wait: {POT}", f"gaia: {again.text}"]


async def test_the_model_learns_it_again_only_when_the_user_says_it_again(running_core):
    async def kept(core) -> int:
        with core.database.reading() as session:
            return ledger.count(session, (await core.key()).user_id)

    def remembers(request):
        has_result = any(part.function_response for part in request.contents[-1].parts)
        return "Well." if has_result else ToolCall("remember", {"fact": POT.upper()})

    async with running_core(remembers) as core:
        await sent_after(core, f"/remember {POT}")
        await forget_it(core)
        core.clock.advance(1)
        await sent_after(core, "What else do you know?")
        assert await kept(core) == 0
        await sent_after(core, f"Please remember that {POT}")
        assert await kept(core) == 1


async def test_an_answer_that_waits_is_redacted_and_one_that_is_refused_too(running_core, home):
    async with running_core(answer) as core:
        await sent_after(core, f"/remember {POT}")
        core.channel.absent.add("ada")
        user = await core.users.find("ada")
        key = await core.key()
        with core.database.writing() as session:
            outbox.add(
                session,
                conversation_id=1,
                turn_id=None,
                chunks=[f"As you said, {POT}"],
                now=core.clock.now(),
                buttons=[Button(POT, "/x")],
            )
            numbers = ledger.numbers(session, key.user_id)
            forget.forget(session, user.user_id, numbers, now=core.clock.now())
        core.app.forget_worker.wake()
        await until_forgotten(core)
        assert files_with(home.root, *TRACES) == []
        core.channel.reachable("ada")
        core.app.delivery.wake(1)
        sent = (await core.channel.until_sent(len(core.channel.sent) + 1))[-1]
        assert (sent.text, sent.buttons) == (REPLACEMENT, ())


async def test_everything_takes_all_conversations_and_all_words(running_core, home):
    async with running_core(senders=("ada", "bob"), other_channels=("other",)) as core:
        ada = await core.users.find("ada")
        await sent_after(core, "Nothing but smalltalk about violets")
        await sent_after(core, "violets are his business too", sender="bob")
        with core.database.writing() as session:
            for number in range(120):
                said = Statement(f"fact{number} about bluepotgate", MemorySource.USER)
                ledger.add(session, ada.user_id, said, core.clock.now())
        question = await sent_after(core, "/forget")
        done = await sent_after(core, question.buttons[0].command)
        assert "120" in done.text
        await until_forgotten(core)
        assert files_with(home.root, "bluepotgate", "smalltalk") == []
        assert files_with(home.root, "violets") == ["gaia.db"]
        listed = await core.sessions()
        assert [each.user_id for each in listed] == [(await core.key("bob")).user_id]
        await sent_after(core, "Hello again")
        assert await core.transcript(generation=2) == [
            "user: Hello again",
            "gaia: echo: Hello again",
        ]
        texts = rows(home, "SELECT DISTINCT text FROM inbox WHERE conversation_id = 1")
        assert {text for (text,) in texts} == {REPLACEMENT, "Hello again"}


@pytest.mark.sqlite
async def test_logs_history_and_copies_lose_it(running_core, home):
    async with running_core(answer) as core:
        await sent_after(core, f"/remember {POT}")
        home.terminal_history.write_text(
            f"\n# 2026-01-01\n+hello\n\n# 2026-01-02\n+so,\n+{POT}\n\n# 2026-01-03\n+/forget gate\n"
            "\n# 2026-01-04\n+bye\n"
        )
        home.logs.joinpath("gaia.log.1").write_text(f"first\nsaid {POT}\nlast\n")
        home.backups.mkdir()
        await core.database.checkpoint()
        copy = home.backups / "gaia-at-0001.db"
        copy.write_bytes(home.database.read_bytes())
        home.backups.joinpath("broken.db").write_bytes(b"no database, but " + POT.encode())
        assert copy.name in {name.rpartition("/")[2] for name in files_with(home.root, *TRACES)}
        await forget_it(core)
        assert files_with(home.root, *TRACES) == []
        assert home.terminal_history.read_text() == (
            "\n# 2026-01-01\n+hello\n\n# 2026-01-04\n+bye\n"
        )
        assert home.logs.joinpath("gaia.log.1").read_text() == "first\nlast\n"
        assert list(home.backups.glob("*.db")) == [copy]
        with closing(sqlite3.connect(copy)) as database:
            assert database.execute("SELECT text FROM inbox").fetchall() == [(REPLACEMENT,)]
            assert database.execute("SELECT count(*) FROM memories").fetchone() == (0,)


@pytest.fixture
def own_log(home):
    """The log that the process writes, as a daemon does."""
    logs.configure(LoggingSettings(level="DEBUG"), home.logs, (), to_terminal=False)
    return home.logs / "gaia.log"


async def test_the_log_that_is_being_written_loses_it_and_goes_on(running_core, home, own_log):
    async with running_core(answer) as core:
        await sent_after(core, f"/remember {POT}")
        logging.getLogger("somebody").debug("said %s", POT)
        logging.getLogger("somebody").warning("something else")
        await forget_it(core)
        logging.getLogger("somebody").warning("and on")
        written = own_log.read_text()
        assert "blue pot" not in written
        assert written.index("something else") < written.index("and on")
        assert "\0" not in written


@pytest.mark.sqlite
async def test_a_reader_in_the_way_is_waited_for(running_core, home, caplog):
    async with running_core(answer) as core:
        await sent_after(core, f"/remember {POT}")
        with closing(sqlite3.connect(home.database, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM inbox").fetchone()
            question = await sent_after(core, "/forget gate code")
            await sent_after(core, question.buttons[0].command)
            await core.clock.until_sleeping()
            assert [request.phrases for request in await requests(core)] == [()]
            assert "until another process lets go" in caplog.text
        await until_forgotten(core)
        assert files_with(home.root, *TRACES) == []


async def test_the_next_start_takes_it_up(running_core, home):
    async with running_core(answer) as core:
        await sent_after(core, f"You know, {POT}")
        await sent_after(core, f"/remember {POT}")
        ada = await core.users.find("ada")
        with core.database.writing() as session:
            numbers = ledger.numbers(session, ada.user_id)
            forget.forget(session, ada.user_id, numbers, now=core.clock.now())
    assert files_with(home.root, *TRACES) != []
    async with running_core(answer) as core:
        await until_forgotten(core)
        assert files_with(home.root, *TRACES) == []
