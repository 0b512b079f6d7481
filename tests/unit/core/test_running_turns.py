"""A running turn ends in one of four ways, whatever its answer does meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from gaia.core.running_turns import RunningTurn, RunningTurns, TurnStoppedError
from gaia.testing.clock import FakeClock, until
from gaia.testing.fake_channel import FakeChannel


@pytest.fixture
def running() -> RunningTurn:
    return RunningTurn(FakeChannel(FakeClock()), "ada", "t1")


async def forever() -> str:
    await asyncio.Event().wait()
    return "never"


async def answer() -> str:
    return "the answer"


async def broken() -> str:
    raise ValueError("broken")


async def cancelled_by_a_stranger() -> str:
    raise asyncio.CancelledError


async def deaf() -> str:
    """Ignores its cancellation, as libraries do now and then."""
    try:
        return await forever()
    except asyncio.CancelledError:
        return "the answer all the same"


async def started(running: RunningTurn, coroutine) -> asyncio.Task[str]:
    task = asyncio.create_task(running.run(coroutine))
    await until(lambda: running.task is not None)
    await asyncio.sleep(0)
    return task


async def test_an_answer_is_returned_and_can_no_longer_be_stopped(running: RunningTurn) -> None:
    assert await running.run(answer()) == "the answer"
    assert running.stop() is False


@pytest.mark.parametrize("coroutine", [forever, deaf])
async def test_a_stopped_turn_tells_what_was_said(running: RunningTurn, coroutine) -> None:
    task = await started(running, coroutine())
    running.text("Once ")
    running.text("upon")
    assert running.stop() is True
    with pytest.raises(TurnStoppedError) as stopped:
        await task
    assert stopped.value.said == "Once upon"


async def test_what_was_said_before_a_tool_call_is_not_part_of_the_answer(
    running: RunningTurn,
) -> None:
    running.text("Let me look.")
    running.tool("calculate")
    assert running.said == []


async def test_a_turn_that_is_stopped_before_it_starts_does_not_start(
    running: RunningTurn,
) -> None:
    assert running.stop() is True
    with pytest.raises(TurnStoppedError):
        await running.run(answer())


async def test_a_turn_that_failed_can_still_be_stopped(running: RunningTurn) -> None:
    with pytest.raises(ValueError, match="broken"):
        await running.run(broken())
    assert running.stop() is True


async def test_a_cancelled_handler_ends_cancelled_even_when_its_turn_was_stopped(
    running: RunningTurn,
) -> None:
    task = await started(running, forever())
    running.stop()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancellation_that_nobody_asked_for_is_a_failure(running: RunningTurn) -> None:
    with pytest.raises(RuntimeError, match="was cancelled"):
        await running.run(cancelled_by_a_stranger())


def test_a_turn_that_is_stopped_before_it_runs_here_is_stopped_as_it_begins(
    running: RunningTurn,
) -> None:
    turns = RunningTurns()
    assert turns.stop("t1") is True
    with turns.begun(running):
        assert running.stopped
    again = RunningTurn(running.channel, "ada", "t1")
    with turns.begun(again):
        assert len(turns) == 1
        assert not again.stopped
    assert len(turns) == 0


def test_a_turn_is_stopped_by_its_own_id_alone(running: RunningTurn) -> None:
    turns = RunningTurns()
    with turns.begun(running):
        turns.stop("t2")
        assert not running.stopped
        assert turns.stop("t1") is True
        assert running.stopped
