"""What the page shows: memories, one of them, people, episodes, days, reminders, what the next
prompt holds, and to owners the state of gaia."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from sqlalchemy.orm import Session
from starlette.responses import Response

from gaia.errors import UnknownMemoryError
from gaia.memory import browse, ledger, pending, shared
from gaia.memory.browse import Choice
from gaia.memory.contexts import GLOBAL
from gaia.memory.episodes import recent_episodes
from gaia.memory.memory import Memory
from gaia.memory.people import entities, graph
from gaia.memory.people.relations import relations
from gaia.memory.search import preload
from gaia.memory.search.candidates import Filter
from gaia.memory.search.recall import text_tokens
from gaia.ops.status_text import for_owner
from gaia.ops.wire import HitReport, search_report
from gaia.store.memory_tables import MemoryKind, MemoryStatus
from gaia.store.people.users import Role
from gaia.text import number_in
from gaia.web.page.picture import bars, picture
from gaia.web.page.render import Visit

PAGE_SIZE = 50
SEARCH_LIMIT = 50
DAYS = 90
"""How far back the days go."""


async def memories(visit: Visit) -> Response:
    """All memories, those of a kind, a context or a status, or what a search finds."""
    words = visit.form.get("words", "").strip()
    choice = _choice(visit.form)
    values: dict[str, object] = {"words": words, "choice": choice, "reasons": {}, "fault": ""}
    if words and choice.status is MemoryStatus.ACTIVE:
        found = search_report(
            await visit.parts.search.hits(
                visit.user_id,
                words,
                limit=SEARCH_LIMIT,
                only=Filter(
                    kinds=frozenset({choice.kind}) if choice.kind else None,
                    contexts=frozenset({choice.context}) if choice.context else None,
                ),
            )
        )
        hits = {hit.memory_id: hit for hit in found.hits}
        listed = await visit.read(_still_there, list(hits))
        values |= {"listed": listed, "total": len(listed), "number": 1, "pages": 1}
        values |= {"reasons": _reasons(hits), "fault": found.fault}
    elif words:
        listed = await visit.read(browse.saying, choice, words, limit=SEARCH_LIMIT)
        values |= {"listed": listed, "total": len(listed), "number": 1, "pages": 1}
    else:
        page = await visit.read(
            browse.page, choice, number=_page_number(visit.form), size=PAGE_SIZE
        )
        values |= {"listed": page.memories, "total": page.total}
        values |= {"number": page.number, "pages": page.pages}
    if visit.wants_part:
        return visit.page("_results.html", **values)
    contexts = await visit.read(browse.contexts)
    unsure = await visit.read(ledger.count, MemoryStatus.PENDING)
    return visit.page("memories.html", contexts=contexts, unsure=unsure, **values)


async def memory(visit: Visit) -> Response:
    """All of one memory: where it comes from, and what it replaced."""
    return visit.page("memory.html", problem="", **await visit.read(told_of, visit.memory_id))


def told_of(session: Session, user_id: str, memory_id: int) -> Mapping[str, object]:
    """What is told of one memory.

    Raises:
        UnknownMemoryError: The user has none of that number.
    """
    found = ledger.get(session, user_id, memory_id)
    return {
        "memory": found,
        "about": entities.of_memory(session, user_id, memory_id),
        "earlier": ledger.earlier_versions(session, user_id, [memory_id]),
        "words": found.text,
        "kind": found.kind,
    }


def told_of_present(session: Session, user_id: str, memory_id: int) -> Mapping[str, object]:
    """What is told of a memory, or of the one that has replaced it.

    Raises:
        UnknownMemoryError: The user has none that can be edited.
    """
    found = ledger.get(session, user_id, memory_id)
    while found.superseded_by is not None:
        found = ledger.get(session, user_id, found.superseded_by)
    if found.status is not MemoryStatus.ACTIVE:
        raise UnknownMemoryError(f"the memory {memory_id} is not in use any more")
    return told_of(session, user_id, found.memory_id)


async def unsure(visit: Visit) -> Response:
    """The pending memories, to keep or to drop."""
    page = await visit.read(pending.page, number=1, size=PAGE_SIZE)
    return visit.page("unsure.html", listed=page.memories, total=page.total)


async def people(visit: Visit) -> Response:
    """People, things and what is between them, as a picture and as a table."""
    await visit.parts.database.write(graph.catch_up, visit.user_id)
    found = await visit.read(relations, visit.user.name, visit.parts.clock.now())
    names = {each.key: each.name for each in found.entities}
    return visit.page("people.html", found=found, names=names, picture=picture(found))


@dataclass(frozen=True, slots=True)
class Month:
    """The episodes of a month, the newest first."""

    name: str
    episodes: Sequence[Memory]


async def episodes(visit: Visit) -> Response:
    """What was talked about, by month."""
    found = await visit.read(browse.episodes)
    by_month = groupby(found, lambda each: f"{each.valid_from.astimezone(visit.zone):%B %Y}")
    months = [Month(name, list(each)) for name, each in by_month]
    return visit.page("episodes.html", months=months)


async def days(visit: Visit) -> Response:
    """What happened on each of the last days."""
    since = visit.parts.clock.now() - timedelta(days=DAYS - 1)
    found = await visit.read(browse.days, since, visit.zone)
    chart = bars(found, since.astimezone(visit.zone).date(), DAYS)
    return visit.page("days.html", days=found[::-1], chart=chart, number=DAYS)


async def reminders(visit: Visit) -> Response:
    """The reminders, those that are due first before the others."""
    return visit.page("reminders.html", listed=await visit.read(browse.reminders))


async def shared_notes(visit: Visit) -> Response:
    """What owners share with all members, if the user is one."""
    listed = await visit.read(shared.notes, visit.parts.clock.now())
    return visit.page("shared.html", listed=listed)


async def prompt(visit: Visit) -> Response:
    """What the next prompt holds, and what a message would add to it."""
    parts, now = visit.parts, visit.parts.clock.now()
    contexts = await visit.read(browse.contexts)
    context = visit.form.get("context", GLOBAL)
    context = context if context in contexts else GLOBAL
    prefix = await visit.read(preload.prefix, now, parts.room(), context)
    due = await visit.read(preload.due_reminders, now, parts.room().ahead, context)
    recent: Sequence[Memory] = ()
    if parts.room().bullets:
        recent = await visit.read(recent_episodes, now, context)
    words = visit.form.get("words", "").strip()
    added: Sequence[Memory] = ()
    if words:
        limit = parts.settings.value.memory.recall_limit
        added = await parts.search.relevant(visit.user_id, words, limit=limit, context=context)
    tokens = round(sum(map(text_tokens, prefix.texts)))
    return visit.page(
        "prompt.html",
        contexts=contexts,
        context=context,
        prefix=prefix,
        recent=recent,
        due=due,
        words=words,
        added=added,
        tokens=tokens,
    )


async def state(visit: Visit) -> Response:
    """How gaia is, for owners."""
    if visit.user.role is not Role.OWNER:
        raise UnknownMemoryError("only owners see the state of gaia")
    return visit.page("state.html", lines=for_owner(await visit.parts.report()))


def _choice(form: Mapping[str, str]) -> Choice:
    """What a form chooses; what it cannot mean is left open."""
    kind, status = form.get("kind", ""), form.get("status", "")
    return Choice(
        status=MemoryStatus(status) if status in set(MemoryStatus) else MemoryStatus.ACTIVE,
        kind=MemoryKind(kind) if kind in set(MemoryKind) else None,
        context=form.get("context") or None,
    )


def _page_number(form: Mapping[str, str]) -> int:
    return number_in(form.get("page", "")) or 1


def _still_there(session: Session, user_id: str, memory_ids: Sequence[int]) -> Sequence[Memory]:
    """Those that were found a moment ago, as they are now, in the order of the numbers."""
    known = {each.memory_id: each for each in ledger.get_many(session, user_id, memory_ids)}
    return [
        known[number]
        for number in memory_ids
        if number in known and known[number].status is MemoryStatus.ACTIVE
    ]


def _reasons(hits: Mapping[int, HitReport]) -> Mapping[int, Sequence[str]]:
    return {number: hit.reasons for number, hit in hits.items()}
