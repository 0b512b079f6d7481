"""/memory: what gaia remembers, in pages; search; where one of them comes from; what is not sure,
and what is a rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gaia.commands.memory_text import (
    PAGE_SIZE,
    SOURCES,
    day,
    elsewhere,
    line,
    page_number,
    paged,
    understood,
    verb_of,
    with_memory,
)
from gaia.commands.pending import HOW, drop, keeping, list_pending
from gaia.commands.registry import Call, Command, Run, Topic
from gaia.commands.unread import unread_lines
from gaia.core.slash import Caller, Reply
from gaia.memory import ledger, shared
from gaia.memory.excerpts import quoted
from gaia.memory.memory import Memory, Statement
from gaia.memory.people import entities
from gaia.memory.search.preload import Room, rules
from gaia.memory.search.recall import Finder
from gaia.memory.text import normalise
from gaia.store.memory_tables import MemoryKind, MemorySource, MemoryStatus
from gaia.text import counted

SEARCH_LIMIT = 10
NOTHING = (
    "There is nothing in {} memory yet. Tell me what I should know, or write /remember and the "
    "words: I keep them exactly as written."
)
MOST_LISTED = 200
"""Rules that are listed, at most."""

USAGE = """\
/memory - List everything that I remember
/memory search WORDS - Search it
/memory why 12 - Tell where #12 comes from
/memory about NAME - List what is about somebody
/memory hide 12 - Use #12 only when you search for it; /memory unhide 12 undoes that
/memory pin 12 - Put #12 before all others; /memory unpin 12 undoes that
/memory rule 12 - Make #12 a rule that I always follow
/memory rules - List those rules
/memory pending - List what I am not sure of
/memory keep 12 - Confirm the pending #12
/memory drop 12 - Delete the pending #12

/remember keeps something new, /forget 12 forgets #12 for good."""


def memory_command(
    finder: Finder,
    changed: Callable[[], None],
    room: Callable[[], Room],
    learns: Callable[[], bool],
) -> Command:
    """The command; `finder` searches, `changed` is called once something is active again, `room`
    tells how much a conversation begins with, and `learns` whether gaia learns by itself."""
    lists = _listing(learns)
    verbs: dict[str, Run] = {
        **VERBS,
        "": lists,
        "list": lists,
        "page": lists,
        "keep": keeping(changed),
        "drop": drop,
        "rule": make_rule(changed),
        "rules": _listing_rules(room),
    }

    async def prepare(caller: Caller, words: str) -> Run:
        verb, rest = verb_of(words)
        sought = rest if verb == "search" else words
        is_search = bool(rest) and (verb == "search" or (verb in ALONE and not rest.isdecimal()))
        if verb in verbs and not is_search:
            return verbs[verb]
        context = caller.conversation.context
        found = await finder.find(caller.user.user_id, sought, limit=SEARCH_LIMIT, context=context)
        return _showing(found, sought)

    return Command(
        "memory",
        "List what I remember; /memory help tells more",
        prepare,
        ("mem",),
        topic=Topic.MEMORY,
    )


def _showing(found: Sequence[Memory], words: str) -> Run:
    def show(call: Call) -> str:
        # What was found a moment ago may be gone or different by now.
        ids = [memory.memory_id for memory in found]
        present = {
            memory.memory_id: memory
            for memory in ledger.get_many(call.session, call.user_id, ids)
            if memory.status is MemoryStatus.ACTIVE
        }
        notes = shared.matching(call.session, call.user_id, words, call.now)
        for_all = [line(each) for each in notes if each.memory_id not in present]
        if for_all:
            for_all = ["All members know:", *for_all[:SEARCH_LIMIT]]
        if not present and for_all:
            return "\n".join(for_all)
        if not present:
            return (
                f"Nothing in {call.whose} memory is similar to {quoted(words)}. "
                "/memory lists everything."
            )
        lines = [line(present[each]) for each in ids if each in present]
        return "\n".join([f"Most similar to {quoted(words)}, the best first:", *lines, *for_all])

    return show


def _listing(learns: Callable[[], bool]) -> Run:
    def list_all(call: Call) -> Reply:
        user_id, seen = call.user_id, call.seen
        number = page_number(call.words)
        page = ledger.page(call.session, user_id, number=number, size=PAGE_SIZE, contexts=seen)
        unsure = ledger.count(call.session, user_id, MemoryStatus.PENDING, seen)
        not_sure = f"I am not sure of {unsure:,} more: /memory pending lists them."
        unread = unread_lines(call) if learns() and number == 1 else ()
        others = elsewhere(call)
        tail = "\n".join(filter(None, (others, not_sure if unsure else "", *unread)))
        mine = call.whose
        if page.total:
            head = f"{mine.capitalize()} memory, {page.total:,} in all"
            return paged(page, head, "/memory page", tail=tail)
        if others:
            return Reply(f"There is nothing in {mine} memory here.\n{tail}")
        return Reply(tail or NOTHING.format(mine))

    return list_all


def _search_for_nothing(call: Call) -> str:
    return "What should I look for? Write /memory search and some words."


def _why(call: Call) -> str:
    return with_memory(call, _tell_why)


def _tell_why(call: Call, memory: Memory) -> str:
    told = [f"#{memory.memory_id}: {quoted(memory.text, longest=None)}"]
    told.append(f"Since {day(memory.valid_from)}: {_source(memory)}.")
    if memory.quote and normalise(memory.quote) != normalise(memory.text):
        told.append(f"Your words then: {quoted(memory.quote)}")
    elif memory.source is MemorySource.TOOL and not memory.quote:
        told.append("I have none of your own words for it.")
    if memory.source is MemorySource.DIGEST and memory.kind is not MemoryKind.EPISODE:
        told.append(understood(memory))
    if memory.due_at is not None:
        told.append(f"It is due on {day(memory.due_at)}.")
    about = entities.of_memory(call.session, call.user_id, memory.memory_id)
    if about:
        told.append(f"About: {', '.join(quoted(name) for name in about)}")
    if memory.support > 1:
        told.append(f"Mentioned {memory.support} times.")
    if memory.pinned:
        told.append("It is pinned: I always keep it in mind, before all others.")
    if memory.sensitive:
        told.append("It is hidden: I use it only when you search for it.")
    told += _standing(memory)
    earlier = ledger.earlier_versions(call.session, call.user_id, [memory.memory_id])
    told += [f"Before that: {line(each, with_status=False)}" for each in earlier]
    return "\n".join(told)


def _source(memory: Memory) -> str:
    source = SOURCES[memory.source]
    if memory.source is MemorySource.DIGEST:
        return f"{source}, which I read through on {day(memory.created_at)}"
    if memory.source is MemorySource.TOOL and memory.status is MemoryStatus.PENDING:
        return "I would like to keep it, and wait for your answer"
    return source


def _standing(memory: Memory) -> Sequence[str]:
    """What there is to say of a memory that does not count."""
    if memory.superseded_by is not None:
        return [f"It is no longer valid: #{memory.superseded_by} replaced it."]
    if memory.status is MemoryStatus.PENDING:
        return [
            f"I am not sure of it, so I do not use it. {HOW.replace('12', str(memory.memory_id))}"
        ]
    if memory.status is MemoryStatus.SUPERSEDED:
        return ["It is no longer valid: as I understood you, it is no longer true."]
    if memory.status is MemoryStatus.ARCHIVED:
        return ["It is no longer valid: it expired, or you undid it."]
    return []


def _hide(call: Call) -> str:
    return with_memory(call, _set_hidden)


def _set_hidden(call: Call, memory: Memory) -> str:
    hidden = verb_of(call.words)[0] == "hide"
    ledger.set_sensitive(
        call.session, memory.user_id, memory.memory_id, sensitive=hidden, now=call.now
    )
    if hidden:
        return f"#{memory.memory_id} is hidden: I use it only when you search for it."
    return f"#{memory.memory_id} is no longer hidden: I use it wherever it helps."


def _pin(call: Call) -> str:
    return with_memory(call, _set_pinned)


def _set_pinned(call: Call, memory: Memory) -> str:
    pinned = verb_of(call.words)[0] == "pin"
    ledger.set_pinned(call.session, memory.user_id, memory.memory_id, pinned=pinned, now=call.now)
    if pinned:
        return f"#{memory.memory_id} is pinned: I always keep it in mind, before all others."
    return f"#{memory.memory_id} is no longer pinned."


def _about(call: Call) -> str:
    _, name = verb_of(call.words)
    found = entities.about(call.session, call.user_id, name, call.seen)
    if not found:
        return (
            f"Nothing in {call.whose} memory is marked as being about {quoted(name)}. "
            "Try /memory search."
        )
    shown = [*map(line, found[:PAGE_SIZE])]
    if len(found) > PAGE_SIZE:
        shown.append(f"… and {len(found) - PAGE_SIZE:,} more")
    return "\n".join([f"About {quoted(name)}:", *shown])


def _listing_rules(room: Callable[[], Room]) -> Run:
    """List the rules: those that are followed, and those for which there is no room."""

    def list_rules(call: Call) -> str:
        user_id, context = call.user_id, call.conversation.context
        kept = ledger.every(call.session, user_id, limit=MOST_LISTED, kind=MemoryKind.RULE)
        every = [each for each in kept if each.context in call.seen]
        others = counted(len(kept) - len(every), "rule", "rules")
        if kept and not every:
            return f"I have no rules of yours here.\n{others} in other contexts: /context."
        if not every:
            return (
                "I have no rules of yours yet. /memory rule 12 makes a memory a rule that I "
                "always follow."
            )
        followed = {
            each.memory_id for each in rules(call.session, user_id, call.now, room(), context)
        }
        in_use = [line(each) for each in reversed(every) if each.memory_id in followed]
        unused = [line(each) for each in reversed(every) if each.memory_id not in followed]
        lines = ["I always follow:", *in_use] if in_use else []
        if unused:
            lines += [
                "There is no room for these: /forget one of those above that you no longer need.",
                *unused,
            ]
        return "\n".join(lines)

    return list_rules


def _help(_: Call) -> str:
    return USAGE


ALONE = frozenset({"help", "list", "page", "pending", "held"})
"""Verbs that take a number at most: `list of presents` is searched for."""


VERBS: dict[str, Run] = {
    "help": _help,
    "pending": list_pending,
    "held": list_pending,
    "search": _search_for_nothing,
    "why": _why,
    "hide": _hide,
    "unhide": _hide,
    "pin": _pin,
    "unpin": _pin,
    "about": _about,
}


def make_rule(changed: Callable[[], None]) -> Run:
    """Make a memory a rule; `changed` is called once it is one."""

    def rule(call: Call, memory: Memory) -> Reply:
        if memory.kind is MemoryKind.RULE:
            return Reply(f"#{memory.memory_id} is a rule already: {quoted(memory.text)}")
        said = Statement(
            memory.text,
            MemorySource.USER,
            MemoryKind.RULE,
            quote=memory.quote,
            is_shared=memory.is_shared,
            may_tell_credentials=memory.is_shared,
        )
        added = ledger.supersede(call.session, memory.user_id, memory.memory_id, said, call.now)
        made = added.memory
        told = (
            f"From now on I always follow #{made.memory_id}: {quoted(made.text)}\n"
            f"/forget {made.memory_id} deletes it."
        )
        return Reply(told, committed=changed)

    return lambda call: with_memory(call, rule)
