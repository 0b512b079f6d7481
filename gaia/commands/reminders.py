"""/remind, /reminders and /timezone: what gaia says at its time, and whose time that is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta, tzinfo

from gaia.commands.memory_text import INCOGNITO, not_here, verb_of
from gaia.commands.registry import Call, Command, Topic
from gaia.core import reminder_text
from gaia.core.slash import Reply
from gaia.errors import CredentialError, UnfitMemoryError, UnknownMemoryError
from gaia.memory import credentials, ledger
from gaia.memory.excerpts import quoted
from gaia.memory.memory import Memory
from gaia.memory.reminders import recurrence, reminders
from gaia.memory.reminders import requests as reminder_words
from gaia.memory.reminders.doubts import CONDITION
from gaia.memory.reminders.recurrence import Due
from gaia.memory.reminders.requests import Wanted
from gaia.messages import Button
from gaia.settings.schema import Settings
from gaia.store import inbox
from gaia.store.edits import REMIND
from gaia.store.memory_tables import MemorySource, MemoryStatus
from gaia.store.people import identities
from gaia.swappable import Swappable
from gaia.text import counted, number_in
from gaia.zones import guess, local_zone, matching, zone_of

SHOWN = 20
"""Reminders that a list has."""

MOST_ZONES = 6
"""Zones that an unclear answer lists."""

SNOOZE = "an hour"

AGAIN = re.compile(r"again (?P<asked_in>\d{1,18}) (?P<time>.+)", re.DOTALL)
"""The words of the command that answers when."""

PROMPTLY = timedelta(minutes=1)
"""How long after it was written a message is answered; after that the answer names the date."""

HOW = (
    "What should I remind you of, and when? For example: /remind on Friday at nine to call Bob. "
    "“every Monday”, “in two hours” and “tomorrow” work as well. /reminders lists what is to come."
)
WHEN = (
    "I can't find a future time in that, or not for certain. Say when, for example: "
    "“in two hours”, “tomorrow at 6 pm”, “every Monday at 8:00”."
)
STANDS = "What you asked for before your edit stands: {}. /reminders changes it."
IN_ANY_CASE = "I can't check what it depends on: I will say it in any case."
PASSED = (
    "That time had passed before your message reached me: it was {moment}. Say another, for "
    "example: “in two hours”, “on Friday at nine”."
)
NO_SUCH = "There is no open reminder with that number. /reminders lists them."
NO_ZONE = (
    "I don't know a time zone called {words}. Name the nearest large city or the zone, as in "
    "/timezone Europe/Lisbon."
)


def reminder_commands(
    settings: Swappable[Settings], changed: Callable[[], None]
) -> tuple[Command, ...]:
    """The commands; `changed` is called once a reminder is kept or changed."""
    commands = _Commands(settings, changed)
    return (
        Command.at_once("remind", "Remind you at a time", commands.remind, topic=Topic.REMINDERS),
        Command.at_once(
            "reminders", "List your reminders", commands.reminders, topic=Topic.REMINDERS
        ),
        Command.at_once(
            "timezone", "Tell me your time zone", commands.timezone, ("tz",), topic=Topic.REMINDERS
        ),
    )


class _Commands:
    def __init__(self, settings: Swappable[Settings], changed: Callable[[], None]) -> None:
        self._settings = settings
        self._changed = changed

    def remind(self, call: Call) -> str | Reply:
        if not self._settings.value.memory.enabled:
            return "Long-term memory is off, so I can't keep reminders."
        if not call.words:
            return HOW
        if call.conversation.is_incognito:
            return INCOGNITO
        edited = reminders.of_edited(call.session, call.user_id, call.caller.turn_id)
        reply = self._remind(call, edited)
        if edited and isinstance(reply, str):
            return f"{reply}\n\n{STANDS.format(_listed(edited))}"
        return reply

    def _remind(self, call: Call, edited: Sequence[Memory]) -> str | Reply:
        user = call.user
        zone, hour = zone_of(user.zone), self._settings.value.memory.reminder_hour
        words, time, asked_in = _request(call)
        if time is None:
            wanted = reminder_words.wanted(words, call.said_at, zone, hour)
        else:
            named = reminder_words.time_named(time, call.said_at, zone, hour)
            task = reminder_words.task_of(words, call.said_at, zone)
            wanted = None if named is None else Wanted(task, named)
        if wanted is None:
            return WHEN if edited else _ask_when(WHEN, asked_in)
        if not wanted.task:
            return HOW
        due = recurrence.to_come(wanted.due, call.now)
        if due is None:
            passed = _passed(wanted.due, call, zone)
            return passed if edited else _ask_when(passed, asked_in)
        wanted = replace(wanted, due=due)
        try:
            added = reminders.add(
                call.session,
                user.user_id,
                wanted,
                call.now,
                source=MemorySource.USER,
                context=call.conversation.context,
                quote=words if wanted.task != words else None,
                turn_id=call.caller.turn_id,
            )
        except CredentialError:
            return f"I won't keep that: it looks like {credentials.find(words)}."
        except UnfitMemoryError as exc:
            return f"I can't keep that: {exc}."
        number = added.memory.memory_id
        text = (
            f"{'' if added.is_new else 'I have that already: '}{self._promise(call, added.memory)}"
        )
        if replaced := reminders.give_way(call.session, edited, number, call.now):
            text = f"{text}\nIt takes the place of {_listed(replaced)}."
        if CONDITION.search(wanted.task):
            text = f"{text}\n\n{IN_ANY_CASE}"
        buttons = [Button("Cancel it", f"/reminders cancel {number}", "cancel")]
        if user.zone is None and wanted.due.zone is not None:
            note, more = self._about_zone(call)
            text, buttons = f"{text}\n\n{note}", [*more, *buttons]
        return Reply(text, tuple(buttons), committed=self._changed)

    def reminders(self, call: Call) -> str | Reply:
        verb, words = verb_of(call.words)
        if not verb or verb == "list":
            return self._list(call)
        named, _, rest = words.partition(" ")
        if verb not in {"done", "snooze", "cancel", "delete", "restore"}:
            return (
                "Write /reminders for the list, and done, snooze, cancel or restore with a number, "
                "as in /reminders snooze 12 until tomorrow."
            )
        number = number_in(named)
        if number is None:
            return NO_SUCH
        try:
            memory = ledger.get(call.session, call.user_id, number)
            # One that was said is answered wherever that was.
            other = "" if memory.notified_at else not_here(call, memory)
            return other or self._change(call, verb, memory.memory_id, rest.strip())
        except UnknownMemoryError:
            return NO_SUCH

    def timezone(self, call: Call) -> str | Reply:
        user, words = call.user, call.words
        if not words:
            return self._tell_zone(call)
        if words.casefold() in {"no", "none", "other"}:
            return "Then tell me yours: /timezone and the nearest large city."
        found = matching(words)
        if not found:
            return NO_ZONE.format(words=quoted(words, longest=40))
        if len(found) > 1:
            listed = ", ".join(f"/timezone {name}" for name in found[:MOST_ZONES])
            more = f" and {len(found) - MOST_ZONES} more" if len(found) > MOST_ZONES else ""
            buttons = tuple(Button(name, f"/timezone {name}") for name in found[:3])
            return Reply(f"Which one? {listed}{more}", buttons)
        name = found[0]
        identities.set_zone(call.session, user.user_id, name)
        moved = reminders.move_to_zone(call.session, user.user_id, name)
        kept = " Your reminders keep their time of day." if moved else ""
        now = call.now.astimezone(zone_of(name))
        return Reply(
            f"Your time zone is {name}: it is {now:%H:%M} there.{kept}", committed=self._changed
        )

    def _list(self, call: Call) -> str | Reply:
        user = call.user
        context = call.conversation.context
        found = reminders.coming(call.session, user.user_id, call.now, SHOWN + 1, context)
        count = reminders.count_elsewhere(call.session, user.user_id, call.now, context)
        others = f"{counted(count, 'reminder', 'reminders')} in other contexts: /context."
        if not found and count:
            return f"There are no reminders here.\n{others}"
        if not found:
            return (
                "There are no reminders. /remind makes one, as in /remind tomorrow at 9 call Bob."
            )
        lines = [self._line(each, call) for each in found[:SHOWN]]
        if len(found) > SHOWN:
            lines.append("… and more")
        verbs = "/reminders done, snooze or cancel, with a number, changes one."
        return "\n".join(["Your reminders:", *lines, *([others] if count else []), verbs])

    def _line(self, each: Memory, call: Call) -> str:
        place = zone_of(call.user.zone)
        is_over = each.due_at is not None and each.due_at <= call.now
        over = "overdue, " if is_over else ""
        return (
            f"#{each.memory_id} {over}{reminder_text.when(each, call.now, place)}: "
            f"{quoted(each.text)}"
        )

    def _change(self, call: Call, verb: str, number: int, rest: str) -> str | Reply:
        session, user, now = call.session, call.user, call.now
        if verb == "done":
            memory = reminders.done(session, user.user_id, number, now)
            again = ""
            if memory.recurrence and memory.status is MemoryStatus.ACTIVE:
                again = f" The next one is {reminder_text.when(memory, now, zone_of(user.zone))}."
            return Reply(f"Done: {quoted(memory.text)}.{again}", committed=self._changed)
        if verb == "snooze":
            return self._snooze(call, number, rest or SNOOZE)
        if verb == "restore":
            memory = reminders.restore(session, user.user_id, number, now)
            return Reply(self._promise(call, memory), committed=self._changed)
        memory = reminders.cancel(session, user.user_id, number, now)
        undo = Button("Undo", f"/reminders restore {number}")
        text = f"Cancelled: {quoted(memory.text)}.\n{undo.command} brings it back."
        return Reply(text, (undo,), committed=self._changed)

    def _snooze(self, call: Call, number: int, words: str) -> str | Reply:
        user = call.user
        zone, hour = zone_of(user.zone), self._settings.value.memory.reminder_hour
        named = reminder_words.time_named(words, call.said_at, zone, hour)
        if named is None:
            return WHEN
        due = recurrence.to_come(named, call.now)
        if due is None:
            return _passed(named, call, zone)
        memory = reminders.snooze(call.session, user.user_id, number, due.at)
        said = reminder_text.moment(due.at, call.now, zone, dated=_is_late(call))
        return Reply(
            f"I will remind you again {said}: {quoted(memory.text)}.", committed=self._changed
        )

    def _promise(self, call: Call, memory: Memory) -> str:
        zone = call.user.zone
        said = reminder_text.when(memory, call.now, zone_of(zone), dated=_is_late(call))
        place = f" ({zone})" if zone and memory.zone else ""
        whom = "you" if call.conversation.direct else "this group"
        return f"I will remind {whom} {said}{place}: {quoted(memory.text)} (#{memory.memory_id})"

    def _about_zone(self, call: Call) -> tuple[str, list[Button]]:
        """What is said of the zone to somebody who has not told it, and the question whether
        one that can be guessed is theirs, once."""
        user_id, here = call.user_id, str(local_zone())
        context = call.conversation.context
        texts = reminders.told_of_places(call.session, user_id, context)
        name = guess(texts)
        if name is not None and identities.may_ask_zone(call.session, user_id, call.now):
            now = call.now.astimezone(zone_of(name))
            yes = Button("Yes", f"/timezone {name}", "yes")
            no = Button("No", "/timezone no", "no")
            return f"Is {name} your time zone? It is {now:%H:%M} there.", [yes, no]
        return (
            f"I don't know your time zone yet and go by this computer's, {here}. "
            "If that is not yours: /timezone and your city.",
            [],
        )

    def _tell_zone(self, call: Call) -> str:
        zone = call.user.zone
        now = call.now.astimezone(zone_of(zone))
        if zone is None:
            return (
                f"You have not told me your time zone. I go by this computer's, {local_zone()}, "
                f"where it is {now:%H:%M}. /timezone and your city changes that."
            )
        return (
            f"Your time zone is {zone}, where it is {now:%H:%M}. /timezone and a city changes it."
        )


def _request(call: Call) -> tuple[str, str | None, int]:
    """What is asked for, the time that answers when, if that had to be asked, and which message
    asks for it."""
    if again := AGAIN.fullmatch(call.words):
        asked_in = int(again["asked_in"])
        text = inbox.text_of(call.session, call.conversation.conversation_id, asked_in)
        if text.startswith(f"{REMIND} "):
            return text.removeprefix(f"{REMIND} "), again["time"], asked_in
    return call.words, None, call.caller.inbox_id


def _ask_when(text: str, asked_in: int) -> Reply:
    """A question for the time of what a message asks for; who answers names it alone."""
    times = ("In an hour", "Tomorrow at 9:00")
    first, *more = (Button(each, f"{REMIND} again {asked_in} {each}") for each in times)
    return Reply(text, (replace(first, answer="when"), *more))


def _listed(told: Sequence[Memory]) -> str:
    """The numbers of some reminders."""
    return ", ".join(f"#{each.memory_id}" for each in told)


def _is_late(call: Call) -> bool:
    """Whether the words may count by another day than the one on which they are answered."""
    return call.now - call.said_at > PROMPTLY


def _passed(due: Due, call: Call, zone: tzinfo) -> str:
    return PASSED.format(moment=reminder_text.moment(due.at, call.now, zone))
