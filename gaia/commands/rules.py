"""/memory rule: a memory becomes a rule, which stands before every conversation of its user."""

from __future__ import annotations

from collections.abc import Callable

from gaia.commands.memory_pages import with_memory
from gaia.commands.memory_text import quoted
from gaia.commands.registry import Call, Run
from gaia.core.slash import Reply
from gaia.memory import ledger
from gaia.memory.memory import Memory, Statement
from gaia.store.memory_tables import MemoryKind, MemorySource


def make_rule(changed: Callable[[], None]) -> Run:
    """Make a memory a rule; `changed` is called once it is one."""

    def rule(call: Call, memory: Memory) -> Reply:
        if memory.kind is MemoryKind.RULE:
            return Reply(f"#{memory.memory_id} is a rule already: {quoted(memory.text)}")
        said = Statement(memory.text, MemorySource.USER, MemoryKind.RULE, quote=memory.quote)
        added = ledger.supersede(call.session, memory.user_id, memory.memory_id, said, call.now)
        made = added.memory
        told = (
            f"From now on I always follow #{made.memory_id}: {quoted(made.text)}\n"
            f"/forget {made.memory_id} makes me forget it."
        )
        return Reply(told, committed=changed)

    return lambda call: with_memory(call, rule)
