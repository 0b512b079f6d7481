"""Limits: one user's flood is cut, told once a minute, and never answered twice."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import event, text

from gaia.core import sentences
from gaia.messages import Address, ReceiptKind
from gaia.settings.schema import LimitsSettings, Settings
from gaia.store import audit, senders
from gaia.store.audit import Action
from gaia.store.people.users import Role
from gaia.store.tables import InboxState
from gaia.testing.clock import START, FakeClock

TOO_FAST = sentences.too_fast(3)


def of(messages_per_minute: int) -> Settings:
    return Settings(limits=LimitsSettings(messages_per_minute=messages_per_minute))


async def answers(core) -> list[str]:
    await core.app.handlers.flush()
    await core.app.command_runner.drain()
    await core.app.delivery.flush()
    return [each.text for each in core.channel.sent]


async def states(core) -> dict[str, int]:
    with core.database.reading() as session:
        rows = session.execute(text("SELECT state, count(*) FROM inbox GROUP BY state"))
        return dict(rows.all())


async def test_a_flood_of_one_user_is_a_few_turns_and_one_sentence(running_core):
    async with running_core(settles=True) as core:
        for n in range(500):
            await core.channel.say(f"message {n}")
        core.clock.advance(10)
        await core.channel.until_sent(2)
        sent = await answers(core)
        assert sent.count(sentences.too_fast(30)) == 1
        assert len(sent) <= 3
        assert len(core.model.requests) <= 2
        assert await states(core) == {InboxState.DONE: 30, InboxState.REFUSED: 470}


async def test_one_too_many_is_told_and_answered_never(running_core):
    async with running_core(settings=of(3)) as core:
        for n in range(3):
            assert (await core.channel.say(f"m{n}")).kind is ReceiptKind.ACCEPTED
        fourth = await core.channel.say("m3", provider_message_id="fourth")
        assert fourth.kind is ReceiptKind.ACCEPTED, "there is an answer to come"
        assert (await core.channel.say("m4")).kind is ReceiptKind.REFUSED, "there is none"
        again = await core.channel.say("m3", provider_message_id="fourth")
        assert again.kind is ReceiptKind.DUPLICATE
        sent = await answers(core)
        assert sorted(sent) == sorted([TOO_FAST, "echo: m0", "echo: m1", "echo: m2"])
        (refusal,) = [each for each in core.channel.sent if each.text == TOO_FAST]
        assert refusal.in_reply_to == ("fourth",)
        assert refusal.is_failure


async def test_after_a_minute_all_is_well_again(running_core):
    clock = FakeClock()
    async with running_core(settings=of(3), clock=clock) as core:
        for n in range(5):
            await core.channel.say(f"m{n}")
        await core.channel.until_sent(4)
    clock.advance(59)
    async with running_core(settings=of(3), clock=clock) as core:
        receipts = [await core.channel.say("too soon", provider_message_id="a")]
        clock.advance(1)
        for n in range(4):
            receipts.append(await core.channel.say(f"n{n}", provider_message_id=f"b{n}"))
        assert [receipt.kind for receipt in receipts] == [
            ReceiptKind.REFUSED,
            *[ReceiptKind.ACCEPTED] * 4,
        ]
        assert (await answers(core)).count(TOO_FAST) == 1, "told again, a minute later"
        entries = await core.database.read(audit.entries, limit=100)
        assert [e.action for e in entries].count(Action.RATE_LIMITED) == 2


async def test_all_channels_and_chats_of_a_user_count_together_and_others_do_not(running_core):
    async with running_core(settings=of(3), senders=("ada", "bob")) as core:
        ada = await core.users.find("ada")
        await core.users.link(ada, Address("fake", "ada at work"))
        for sender in ("ada", "ada at work", "ada"):
            await core.channel.say("hi", sender=sender)
        await core.channel.say("hi", sender="ada at work")
        await core.channel.say("hi", sender="bob")
        await answers(core)
        assert sorted((each.chat, each.text == TOO_FAST) for each in core.channel.sent) == [
            ("ada", False),
            ("ada", False),
            ("ada at work", False),
            ("ada at work", True),
            ("bob", False),
        ]


async def test_an_owners_commands_and_what_a_program_writes_are_never_too_many(running_core):
    async with running_core(settings=of(3)) as core:
        await core.users.set_role(await core.users.find("ada"), Role.OWNER)
        for n in range(4):
            await core.channel.say(f"m{n}")
        assert (await core.channel.say("m4")).kind is ReceiptKind.REFUSED
        for text, piped in (("/whoami", False), ("line", True)):
            receipt = await core.channel.say(text, is_piped=piped)
            assert receipt.kind is ReceiptKind.ACCEPTED


async def test_commands_count_and_stop_does_not(running_core):
    async with running_core(settings=of(3)) as core:
        for _ in range(5):
            assert (await core.channel.say("/stop")).kind is ReceiptKind.ACCEPTED
        for _ in range(3):
            await core.channel.say("/whoami")
        await core.channel.say("/whoami")
        assert (await core.channel.say("/stop")).kind is ReceiptKind.ACCEPTED
        sent = [each.text for each in await core.channel.until_sent(10)]
        assert sent.count(sentences.NOTHING_TO_STOP) == 6
        assert sent.count(TOO_FAST) == 1


@pytest.mark.parametrize("command", ["/stopping", "/stop_1", "/STOP2 now"])
async def test_a_command_that_begins_like_stop_counts(running_core, command):
    async with running_core(settings=of(3)) as core:
        for _ in range(3):
            await core.channel.say(command)
        await core.channel.say(command)
        assert (await core.channel.say(command)).kind is ReceiptKind.REFUSED


async def test_a_clock_that_was_set_back_locks_nobody_out(running_core):
    clock = FakeClock(START + timedelta(hours=1))
    async with running_core(settings=of(3), clock=clock) as core:
        for n in range(3):
            await core.channel.say(f"m{n}")
        await core.channel.until_sent(3)
    async with running_core(settings=of(3)) as core:
        assert core.clock.now() == START
        receipt = await core.channel.say("hello", provider_message_id="hello")
        assert receipt.kind is ReceiptKind.ACCEPTED
        assert await answers(core) == ["echo: hello"]


def taken(session, user_id, now):
    return senders.find(session, Address("fake", "ada"), "ada", now)


@pytest.mark.parametrize("count", [taken, senders.was_told])
@pytest.mark.sqlite
async def test_counting_searches_an_index_however_many_messages_there_were(running_core, count):
    asked: list[tuple[str, object]] = []

    async with running_core() as core:
        engine = core.database.engine

        @event.listens_for(engine, "before_cursor_execute")
        def note(connection, cursor, statement, parameters, context, many):
            if "FROM inbox" in statement:
                asked.append((statement, parameters))

        await core.database.read(count, "u_1", core.clock.now())
        event.remove(engine, "before_cursor_execute", note)
        (statement, parameters) = asked[-1]
        with core.database.reading() as session:
            connection = session.connection()
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            steps = [row[3] for row in plan]
    assert any("INDEX ix_inbox_conversation_id_received_at" in step for step in steps), steps
    assert not any(step.startswith("SCAN") and "CONSTANT" not in step for step in steps), steps
