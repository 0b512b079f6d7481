"""/memory held and /memory keep: what gaia is not sure of, and what of it is true."""

from __future__ import annotations

from collections.abc import Callable

from gaia.commands.memory_pages import PAGE_SIZE, memory_number, page_number, paged
from gaia.commands.memory_text import quoted, whose
from gaia.commands.registry import Call, Run
from gaia.core.slash import Reply
from gaia.errors import UnknownMemoryError
from gaia.memory import holding

HOW = "/memory keep 12 makes one count, /forget 12 makes me forget it."


def list_held(call: Call) -> Reply:
    """Show what is held, in pages."""
    user_id = call.caller.user.user_id
    page = holding.held(call.session, user_id, number=page_number(call.words), size=PAGE_SIZE)
    if not page.total:
        return Reply(f"There is nothing in {whose(call.caller)} memory that I am not sure of.")
    head = f"What I am not sure of, {page.total:,} in all"
    return paged(page, head, "/memory held", tail=HOW)


def keeping(changed: Callable[[], None]) -> Run:
    """Have something count that is held; `changed` is called once it does."""

    def keep(call: Call) -> str | Reply:
        try:
            number = memory_number(call.words)
            memory = holding.confirm(call.session, call.caller.user.user_id, number, call.now)
        except UnknownMemoryError:
            return (
                "Under that number there is nothing that I am not sure of. /memory held lists it."
            )
        kept = f"Kept in {whose(call.caller)} memory as #{memory.memory_id}: {quoted(memory.text)}"
        return Reply(kept, committed=changed)

    return keep
