"""A channel that is switched off while gaia is busy with what came by it."""

from __future__ import annotations

import asyncio

from gaia.core.sentences import FORGOTTEN_UNREAD
from gaia.core.slash import Caller, Commands, Prepared, Slash
from gaia.messages import ReceiptKind
from gaia.settings.schema import Settings
from gaia.store.redaction import PATIENCE, Redaction, redact_inbox
from gaia.testing.clock import until
from tests.harness.databases import connected
from tests.harness.transactions import next_write

LIMITS = {"limits": {"messages_per_minute": 1, "user_tokens_per_day": 15}}


class CommandsMeanwhile:
    """The commands; the channel is switched off while one is prepared."""

    def __init__(self, commands: Commands, core) -> None:
        self._commands = commands
        self._core = core
        self.menu = commands.menu

    async def prepare(self, slash: Slash, caller: Caller) -> Prepared:
        self._core.app.channels.clear()
        return await self._commands.prepare(slash, caller)


async def switch_on(core) -> None:
    core.app.channels[core.channel.name] = core.channel
    await core.app.recover()


async def test_a_command_that_runs_is_done_once_and_answered_later(running_core, caplog):
    async with running_core() as core:
        core.app.command_runner._commands = CommandsMeanwhile(
            core.app.command_runner._commands, core
        )
        await core.channel.say("/help")
        await until(lambda: not core.app.channels)
        await core.app.command_runner.drain()
        assert "failed" not in caplog.text
        await switch_on(core)
        await core.app.delivery.flush()
        assert len(core.channel.sent) == 1


async def test_a_turn_that_runs_is_counted_and_told_later(running_core, caplog):
    settings = Settings.model_validate(LIMITS)
    async with running_core(settings=settings, provider="gemini") as core:
        core.model.hold("hello")
        await core.channel.say("hello")
        await core.model.until_asked("hello")
        core.app.channels.clear()
        core.model.let_go("hello")
        await core.app.handlers.drain()
        assert "failed" not in caplog.text
        await switch_on(core)
        await core.app.delivery.flush()
        answer, notice = core.channel.sent
        assert answer.text == "echo: hello"
        assert "today's tokens for you are used up" in notice.text


async def test_what_still_comes_by_it_is_kept(running_core):
    async with running_core(settings=Settings.model_validate(LIMITS)) as core:
        core.app.channels.clear()
        receipts = [await core.channel.say(text) for text in ("hello", "and more", "and more")]
        stranger = await core.channel.say("hello", sender="eve")
        kinds = [receipt.kind for receipt in (*receipts, stranger)]
        assert kinds == [
            ReceiptKind.ACCEPTED,
            ReceiptKind.ACCEPTED,
            ReceiptKind.REFUSED,
            ReceiptKind.DENIED,
        ]
        await switch_on(core)
        sent = await core.channel.until_sent(2)
        assert sorted(each.text[:4] for each in sent) == ["You ", "echo"]


async def test_a_chunk_that_is_about_to_be_sent_counts_as_being_sent(running_core, home):
    async with running_core() as core:
        delivery, database = core.app.delivery, core.database
        core.model.hold("hello")
        await core.channel.say("hello")
        await core.model.until_asked("hello")
        core.app.channels.clear()
        core.model.let_go("hello")
        await core.app.handlers.flush()
        await until(lambda: not delivery._workers._tasks)
        begun = next_write(database)
        with connected(home):
            await switch_on(core)
            await until(begun.is_set)
            ended = asyncio.create_task(delivery.sent_all(core.channel))
            await asyncio.sleep(0)
            assert not ended.done()
        await ended
        assert len(core.channel.sent) == 1


async def test_what_was_forgotten_while_it_waited_holds_up_nothing(running_core):
    async with running_core() as core:
        core.app.channels.clear()
        await core.channel.say("my velociped is red")
        await core.channel.say("/remember my velociped is red")
        forgotten = Redaction(
            (await core.key()).user_id,
            says=lambda _: False,
            sources=frozenset(),
            everything=True,
            inbox_id=1000,
            since=core.clock.now(),
        )
        core.clock.advance(PATIENCE.total_seconds() + 1)
        await redact_inbox(core.database, forgotten, core.clock.now())
        await core.channel.say("hello")
        await switch_on(core)
        sent = await core.channel.until_sent(3)
        assert [each.text for each in sent] == [FORGOTTEN_UNREAD, FORGOTTEN_UNREAD, "echo: hello"]
        assert core.model.requests[0].contents[-1].parts[0].text.startswith("hello")
