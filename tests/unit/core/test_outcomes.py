"""What a report says of a chunk, by what is known of it."""

from __future__ import annotations

import pytest

from gaia.core.outcomes import judge_report
from gaia.errors import PermanentSendError, SendError
from gaia.messages import DeliveryReport, DeliveryStage
from gaia.store.outbox import Chunk
from gaia.store.tables import OutboxState
from gaia.testing.clock import START

BLOCKED = PermanentSendError("blocked")


def judged(state: OutboxState, stage: DeliveryStage, copy: str) -> OutboxState | SendError | None:
    """Of a chunk whose copy `old` has failed, and whose copy `present` was sent after it."""
    chunk = Chunk(
        outbox_id=1,
        conversation_id=1,
        turn_id=None,
        seq=0,
        final=True,
        text="hello",
        buttons=(),
        state=state,
        attempts=2,
        repeated=False,
        refused_since=None,
        not_before=None,
        provider_id="present",
        failed_ids=("old",),
        error=None,
        is_incognito=False,
        reminder_id=None,
        was_due=None,
        is_farewell=False,
        created_at=START,
        sent_at=START,
    )
    return judge_report(chunk, DeliveryReport(1, copy, stage, BLOCKED))


@pytest.mark.parametrize("state", [OutboxState.QUEUED, OutboxState.SENT])
def test_of_a_chunk_on_its_way_only_the_present_copy_may_fail(state: OutboxState) -> None:
    assert judged(state, DeliveryStage.FAILED, "present") is BLOCKED
    assert judged(state, DeliveryStage.FAILED, "old") is None
    assert judged(state, DeliveryStage.FAILED, "another") is None


@pytest.mark.parametrize("state", [OutboxState.SENDING, OutboxState.UNKNOWN])
def test_while_a_copy_has_no_name_what_failed_before_is_not_it(state: OutboxState) -> None:
    assert judged(state, DeliveryStage.FAILED, "old") is None
    assert judged(state, DeliveryStage.SENT, "old") is None
    assert judged(state, DeliveryStage.FAILED, "new") is BLOCKED
    assert judged(state, DeliveryStage.SENT, "new") is OutboxState.SENT


@pytest.mark.parametrize(
    "state", [OutboxState.PENDING, OutboxState.DEAD, OutboxState.DELIVERED, OutboxState.READ]
)
def test_what_has_arrived_or_is_not_on_its_way_neither_fails_nor_is_sent(
    state: OutboxState,
) -> None:
    for stage in (DeliveryStage.FAILED, DeliveryStage.SENT):
        assert judged(state, stage, "present") is None


@pytest.mark.parametrize("state", list(OutboxState))
@pytest.mark.parametrize("copy", ["old", "present", "new"])
def test_any_copy_may_arrive_and_none_goes_back(state: OutboxState, copy: str) -> None:
    is_read = state is OutboxState.READ
    has_arrived = is_read or state is OutboxState.DELIVERED
    delivered = judged(state, DeliveryStage.DELIVERED, copy)
    assert delivered is (None if has_arrived else OutboxState.DELIVERED)
    assert judged(state, DeliveryStage.READ, copy) is (None if is_read else OutboxState.READ)
