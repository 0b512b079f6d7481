"""/memory rule: a memory becomes a rule, which stands before every conversation of its user."""

from __future__ import annotations

from collections.abc import Callable

from gaia.commands.memory_pages import memory_number
from gaia.commands.memory_text import quoted, whose
from gaia.commands.registry import Call, Run
from gaia.core.slash import Reply
from gaia.errors import UnknownMemoryError
from gaia.memory import ledger
from gaia.memory.memory import Statement
from gaia.store.memory_tables import MemoryKind, MemorySource


def make_rule(changed: Callable[[], None]) -> Run:
    """Make a memory a rule; `changed` is called once it is one."""

    def rule(call: Call) -> str | Reply:
        user_id = call.caller.user.user_id
        try:
            memory = ledger.get(call.session, user_id, memory_number(call.words))
            if memory.kind is MemoryKind.RULE:
                return f"#{memory.memory_id} is a rule already: {quoted(memory.text)}"
            said = Statement(memory.text, MemorySource.USER, MemoryKind.RULE, quote=memory.quote)
            made = ledger.supersede(call.session, user_id, memory.memory_id, said, call.now).memory
        except UnknownMemoryError:
            return f"There is no such number in {whose(call.caller)} memory. /memory lists all."
        told = (
            f"From now on I always follow #{made.memory_id}: {quoted(made.text)}\n"
            f"/forget {made.memory_id} makes me forget it."
        )
        return Reply(told, committed=changed)

    return rule
