"""/memory: what gaia remembers, in pages; search; where one of them comes from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from gaia.commands.memory_text import SOURCES, day, line, quoted, whose
from gaia.commands.registry import Call, Command, Run
from gaia.core.slash import Caller, Reply
from gaia.errors import UnknownMemoryError
from gaia.memory import entities, ledger
from gaia.memory.memory import Memory
from gaia.memory.recall import Finder
from gaia.messages import Button
from gaia.store.memory_tables import MemoryStatus

PAGE_SIZE = 10
SEARCH_LIMIT = 10

USAGE = (
    "/memory lists all, /memory search WORDS finds some, /memory why 12 tells where one comes "
    "from, /memory about NAME lists those about somebody, /memory hide 12 keeps one to "
    "searches and /memory unhide 12 does no longer."
)


def memory_command(finder: Finder) -> Command:
    """The command; `finder` searches."""

    async def prepare(caller: Caller, words: str) -> Run:
        verb, rest = _verb_of(words)
        sought = rest if verb == "search" else words
        is_search = bool(rest) and (verb == "search" or (verb in ALONE and not rest.isdecimal()))
        if verb in VERBS and not is_search:
            return VERBS[verb]
        found = await finder.find(caller.user.user_id, sought, limit=SEARCH_LIMIT)
        return _showing(found, sought)

    return Command("memory", "What I remember", prepare, ("mem",))


def _verb_of(words: str) -> tuple[str, str]:
    verb, _, rest = words.partition(" ")
    return verb.lower(), rest.strip()


def _showing(found: Sequence[Memory], words: str) -> Run:
    async def show(call: Call) -> str:
        # What was found a moment ago may be gone or different by now.
        ids = [memory.memory_id for memory in found]
        present = {
            memory.memory_id: memory
            for memory in await ledger.get_many(call.session, call.caller.user.user_id, ids)
            if memory.status is MemoryStatus.ACTIVE
        }
        if not present:
            return f"Nothing in {whose(call.caller)} memory is like {quoted(words)}."
        lines = [line(present[each]) for each in ids if each in present]
        return "\n".join([f"Nearest to {quoted(words)}, the best first:", *lines])

    return show


async def _list(call: Call) -> Reply:
    _, told = _verb_of(call.words)
    number = int(told) if told.isdecimal() and len(told) < 10 else 1
    user_id = call.caller.user.user_id
    page = await ledger.page(call.session, user_id, number=number, size=PAGE_SIZE)
    if not page.total:
        return Reply(
            f"There is nothing in {whose(call.caller)} memory yet. Tell me what I should know, or "
            "write /remember and the words: I keep them as they are."
        )
    head = f"{whose(call.caller).capitalize()} memory, {page.total:,} in all"
    if page.pages == 1:
        return Reply("\n".join([f"{head}, the newest first:", *map(line, page.memories)]))
    buttons = []
    if page.number > 1:
        buttons.append(Button("Newer", f"/memory page {page.number - 1}"))
    if page.number < page.pages:
        buttons.append(Button("Older", f"/memory page {page.number + 1}"))
    lines = [f"{head}, the newest first, page {page.number} of {page.pages}:"]
    lines += [*map(line, page.memories), f"{buttons[-1].label} ones: {buttons[-1].command}"]
    return Reply("\n".join(lines), tuple(buttons))


async def _search_for_nothing(call: Call) -> str:
    return "What shall I look for? Write /memory search and some words."


async def _why(call: Call) -> str:
    return await _with_memory(call, _tell_why)


async def _tell_why(call: Call, memory: Memory) -> str:
    user_id = call.caller.user.user_id
    told = [f"#{memory.memory_id}: {quoted(memory.text, longest=None)}"]
    told.append(f"Since {day(memory.valid_from)}: {SOURCES[memory.source]}.")
    if memory.quote:
        told.append(f"Your words then: {quoted(memory.quote)}")
    about = await ledger.entities(call.session, user_id, memory.memory_id)
    if about:
        told.append(f"About: {', '.join(quoted(name) for name in about)}")
    if memory.support > 1:
        told.append(f"Told {memory.support} times.")
    if memory.sensitive:
        told.append("It is hidden: I use it only when it is searched for.")
    if memory.superseded_by is not None:
        told.append(f"It no longer counts: #{memory.superseded_by} took its place.")
    earlier = await ledger.earlier_versions(call.session, user_id, [memory.memory_id])
    told += [f"Before that: {line(each)}" for each in earlier]
    return "\n".join(told)


async def _hide(call: Call) -> str:
    return await _with_memory(call, _set_hidden)


async def _set_hidden(call: Call, memory: Memory) -> str:
    hidden = _verb_of(call.words)[0] == "hide"
    await ledger.set_sensitive(
        call.session, memory.user_id, memory.memory_id, sensitive=hidden, now=call.now
    )
    if hidden:
        return f"#{memory.memory_id} is hidden: I use it only when it is searched for."
    return f"#{memory.memory_id} is no longer hidden: I use it wherever it helps."


async def _about(call: Call) -> str:
    _, name = _verb_of(call.words)
    found = await entities.about(call.session, call.caller.user.user_id, name)
    if not found:
        return (
            f"Nothing in {whose(call.caller)} memory is marked as being about {quoted(name)}. "
            "/memory search finds words."
        )
    shown = [*map(line, found[:PAGE_SIZE])]
    if len(found) > PAGE_SIZE:
        shown.append(f"… and {len(found) - PAGE_SIZE:,} more")
    return "\n".join([f"About {quoted(name)}:", *shown])


async def _with_memory(call: Call, then: Callable[[Call, Memory], Awaitable[str]]) -> str:
    _, told = _verb_of(call.words)
    number = told.removeprefix("#")
    try:
        if not number.isdecimal() or len(number) > 18:
            raise UnknownMemoryError(f"{told!r} is no number of a memory")
        memory = await ledger.get(call.session, call.caller.user.user_id, int(number))
        return await then(call, memory)
    except UnknownMemoryError:
        return f"There is no such number in {whose(call.caller)} memory. /memory lists all."


async def _help(_: Call) -> str:
    return USAGE


ALONE = frozenset({"help", "list", "page"})
"""Verbs that take a number at most: `list of presents` is searched for."""

VERBS: dict[str, Run] = {
    "": _list,
    "help": _help,
    "list": _list,
    "page": _list,
    "search": _search_for_nothing,
    "why": _why,
    "hide": _hide,
    "unhide": _hide,
    "about": _about,
}
