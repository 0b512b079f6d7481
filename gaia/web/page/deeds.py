"""What a person does to their memories on the page.

htmx gets the memory as it is then, to be put in its place in the list; without it the browser is
led to the memory's own page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session
from starlette.responses import RedirectResponse, Response

from gaia.errors import UnfitMemoryError, UnknownForgetError, UnknownMemoryError
from gaia.memory import forget, ledger, pending
from gaia.memory.edit import edit
from gaia.memory.memory import Memory
from gaia.memory.reminders import reminders
from gaia.store.memory_tables import MemoryKind, MemoryStatus
from gaia.text import counted_memories, number_in
from gaia.web.page.parts import PATH
from gaia.web.page.render import Visit, with_status
from gaia.web.page.views import told_of_present

CHANGED = "Its words were changed meanwhile: save yours if they are to take their place."

SNOOZE = timedelta(hours=1)

Deed = Callable[[Visit], Awaitable[Response]]


def _changing(change: Callable[..., Memory], news: str, **choice: bool) -> Deed:
    """The deed that a change of one memory is; `news` is what is told of it."""

    async def deed(visit: Visit) -> Response:
        now = visit.parts.clock.now()
        changed = await visit.write(change, visit.memory_id, now=now, **choice)
        return _shown(visit, changed, news)

    return deed


async def _done(visit: Visit) -> Response:
    now = visit.parts.clock.now()
    changed = await visit.write(reminders.done, visit.memory_id, now)
    return _shown(
        visit, changed, "Done." if changed.recurrence is None else "Done: it comes again."
    )


async def _snooze(visit: Visit) -> Response:
    until = visit.parts.clock.now() + SNOOZE
    changed = await visit.write(reminders.snooze, visit.memory_id, until)
    return _shown(visit, changed, "It comes again in an hour.")


async def _keep(visit: Visit) -> Response:
    changed = await visit.write(pending.confirm, visit.memory_id, visit.parts.clock.now())
    if visit.wants_part:
        return _gone(visit, "Kept: gaia uses it from now on.")
    return _led_to(changed.memory_id)


async def _drop(visit: Visit) -> Response:
    """Forget a pending memory: it says something of its user, like any other."""
    await visit.write(_drop_pending, visit.memory_id, visit.parts.clock.now())
    if visit.wants_part:
        return _gone(visit, f"Dropped. {forget.SENTENCE}")
    return RedirectResponse(f"{PATH}/unsure", status_code=303)


def _drop_pending(session: Session, user_id: str, memory_id: int, now: datetime) -> None:
    if ledger.get(session, user_id, memory_id).status is not MemoryStatus.PENDING:
        raise UnknownMemoryError(f"the memory {memory_id} is not pending")
    forget.forget(session, user_id, [memory_id], now=now)


async def _edit(visit: Visit) -> Response:
    """Supersede a memory by what its user wrote in its place."""
    try:
        changed = await visit.write(_edited, visit.memory_id, visit.form, visit.parts.clock.now())
    except (UnfitMemoryError, UnknownMemoryError) as exc:
        problem = CHANGED if isinstance(exc, UnknownMemoryError) else f"It was not changed: {exc}"
        told = await visit.read(told_of_present, visit.memory_id)
        form = {"words": visit.form.get("text", ""), "kind": visit.form.get("kind", "")}
        return with_status(visit.page("memory.html", problem=problem, **{**told, **form}), 422)
    return _led_to(changed.memory_id)


def _edited(
    session: Session, user_id: str, memory_id: int, form: Mapping[str, str], now: datetime
) -> Memory:
    text, kind = form.get("text", "").replace("\r\n", "\n"), form.get("kind", "")
    known = MemoryKind(kind) if kind in set(MemoryKind) else None
    old = ledger.get(session, user_id, memory_id)
    return edit(session, user_id, memory_id, text, known or old.kind, now)


async def _ask(visit: Visit) -> Response:
    """Ask whether a memory is to be forgotten."""
    return await _asked(visit, [visit.memory_id], everything=False)


async def forget_all(visit: Visit) -> Response:
    """Ask whether everything is to be forgotten."""
    return await _asked(visit, (), everything=True)


async def _asked(visit: Visit, memory_ids: Sequence[int], *, everything: bool) -> Response:
    question = await visit.write(
        _question, memory_ids, everything=everything, now=visit.parts.clock.now()
    )
    return visit.page("forget.html", question=question)


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be forgotten, if its user says so: these memories with their earlier versions,
    or all `total` of them."""

    forget_id: int
    memories: Sequence[Memory]
    total: int
    everything: bool


def _question(
    session: Session, user_id: str, memory_ids: Sequence[int], *, everything: bool, now: datetime
) -> Question:
    found = [ledger.get(session, user_id, each) for each in memory_ids]
    older = ledger.earlier_versions(session, user_id, memory_ids)
    total = ledger.count(session, user_id) if everything else len(found)
    forget_id = forget.ask(session, user_id, memory_ids=memory_ids, everything=everything, now=now)
    return Question(forget_id, [*found, *older], total, everything)


async def confirm(visit: Visit) -> Response:
    """Forget what its user was asked about."""
    number = number_in(visit.form.get("forget_id", "")) or 0
    try:
        gone = await visit.write(forget.confirm, number, inbox_id=0, now=visit.parts.clock.now())
    except UnknownForgetError:
        return with_status(visit.page("forgotten.html", count="", sentence=""), 409)
    what = counted_memories(gone.count)
    return visit.page("forgotten.html", count=what, sentence=forget.SENTENCE)


def _shown(visit: Visit, changed: Memory, news: str) -> Response:
    if visit.wants_part:
        return visit.page("_changed.html", memory=changed, news=news)
    return _led_to(changed.memory_id)


def _gone(visit: Visit, news: str) -> Response:
    return visit.page("_changed.html", memory=None, news=news)


def _led_to(memory_id: int) -> Response:
    return RedirectResponse(f"{PATH}/memory/{memory_id}", status_code=303)


DEEDS: Mapping[str, Deed] = {
    "pin": _changing(ledger.set_pinned, "Pinned: it comes before all others.", pinned=True),
    "unpin": _changing(ledger.set_pinned, "No longer pinned.", pinned=False),
    "hide": _changing(
        ledger.set_sensitive,
        "Marked as sensitive: it is used only when it is searched for.",
        sensitive=True,
    ),
    "show": _changing(
        ledger.set_sensitive, "No longer sensitive: it is used wherever it helps.", sensitive=False
    ),
    "done": _done,
    "snooze": _snooze,
    "cancel": _changing(reminders.cancel, "Cancelled."),
    "keep": _keep,
    "drop": _drop,
    "edit": _edit,
    "forget": _ask,
}
"""What is done to a memory, by the last part of its path."""
