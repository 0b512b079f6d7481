"""/memory pending, keep and drop: what gaia is not sure of. Whoever was asked about a memory has
its number, and answers in whichever context they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from gaia.commands.memory_text import (
    PAGE_SIZE,
    elsewhere,
    memory_numbers,
    page_number,
    paged,
)
from gaia.commands.registry import Call, Run
from gaia.core.slash import Reply
from gaia.errors import UnknownMemoryError
from gaia.memory import pending
from gaia.memory.excerpts import quoted
from gaia.memory.memory import Memory
from gaia.store.memory_tables import MemoryStatus

HOW = "/memory keep 12 confirms one, /memory drop 12 deletes it."
NOT_PENDING = "No pending memory has that number. /memory pending lists them."


def list_pending(call: Call) -> Reply:
    """Show the pending memories, in pages."""
    page = pending.page(
        call.session,
        call.user_id,
        number=page_number(call.words),
        size=PAGE_SIZE,
        contexts=call.seen,
    )
    others = elsewhere(call, MemoryStatus.PENDING)
    if not page.total:
        mine = call.whose
        nothing = f"There is nothing pending in {mine} memory. /memory lists the rest."
        return Reply(f"{nothing}\n{others}".strip())
    head = f"Pending memories, {page.total:,} in all"
    return paged(page, head, "/memory pending", tail=f"{others}\n{HOW}".strip())


def keeping(changed: Callable[[], None]) -> Run:
    """Build `/memory keep`, which confirms a pending memory; `changed` is called afterwards."""

    def keep(call: Call) -> str | Reply:
        kept = _each_pending(
            call, lambda number: pending.confirm(call.session, call.user_id, number, call.now)
        )
        if not kept:
            return NOT_PENDING
        lines = [
            f"Kept in {call.whose} memory as #{each.memory_id}: {quoted(each.text)}"
            for each in kept
        ]
        return Reply("\n".join(lines), committed=changed)

    return keep


def drop(call: Call) -> str:
    """Delete pending memories, and no others."""
    dropped = _each_pending(
        call, lambda number: pending.discard(call.session, call.user_id, number)
    )
    return "\n".join(f"Not kept: {quoted(each.text)}" for each in dropped) or NOT_PENDING


def _each_pending(call: Call, then: Callable[[int], Memory]) -> Sequence[Memory]:
    """What `then` makes of each pending memory whose number is named behind the verb."""
    done = []
    for number in memory_numbers(call.words):
        with suppress(UnknownMemoryError):
            done.append(then(number))
    return done
