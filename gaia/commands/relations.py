"""/people: whom and what gaia knows of, and which names mean the same."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from gaia.commands.memory_text import INCOGNITO, verb_of
from gaia.commands.registry import Call, Command, Topic
from gaia.core.sentences import yes_or_no_in_words
from gaia.core.slash import Reply
from gaia.memory import ledger
from gaia.memory.excerpts import quoted
from gaia.memory.people import graph, paths, people
from gaia.memory.people.paths import Meant, Scope
from gaia.memory.people.people import Known, Tie
from gaia.messages import Button
from gaia.store.memory_tables import MemoryStatus

SHOWN = 20
MEMORIES = 10
LONGEST_NAME = 60

NOBODY = (
    "I don't know of anybody yet. Tell me about people, such as “My sister Grace lives in Porto”: "
    "/people lists them once I have read through the conversation."
)
NOT_KNOWN = "I don't know anybody by that name. /people lists everybody."
HOW = (
    "Name both, with a comma between, as in /people {verb} Tom, Tom Baker. /people lists all names."
)
BETWEEN = regex.compile(r"\s*[,;=]\s*|\s+(?:and|und|et|y|e)\s+")


def relation_commands() -> tuple[Command, ...]:
    """The command."""
    return (
        Command.at_once("people", "List the people and things I know", _people, topic=Topic.MEMORY),
    )


def _people(call: Call) -> str | Reply:
    graph.catch_up(call.session, call.user_id)
    verb, words = verb_of(call.words)
    if verb in {"merge", "split"} and words:
        return _decide(call, verb, words)
    return _about(call, call.words) if call.words else _list(call)


def _list(call: Call) -> str | Reply:
    known = people.people(call.session, call.user_id, _scope(call))
    all_of_them = [each for each in known.all if each.holds]
    if not all_of_them:
        return NOBODY
    lines = [next(_told(tie) for tie in each.ties if tie.holds) for each in all_of_them[:SHOWN]]
    if len(all_of_them) > SHOWN:
        lines.append(f"… and {len(all_of_them) - SHOWN:,} more.")
    lines.append("/people and a name tells more, such as /people " + _name(all_of_them[0].name))
    buttons: tuple[Button, ...] = ()
    if known.unsure:
        one, other = known.unsure[0]
        merge = f"/people merge #{one.number}, #{other.number}"
        split = f"/people split #{one.number}, #{other.number}"
        answer = yes_or_no_in_words(direct=call.conversation.direct)
        lines.append(
            f"\nAre {_quoted(one.name)} and {_quoted(other.name)} the same? "
            f"{answer}{merge} says so, {split} keeps them apart."
        )
        buttons = (Button("The same", merge, "yes"), Button("Two", split, "no"))
    return Reply("\n".join(lines), buttons)


def _about(call: Call, words: str) -> str:
    user_id, within = call.user_id, _scope(call)
    found = people.find(call.session, user_id, words, within)
    if not found:
        return NOT_KNOWN
    if len(found) > 1:
        names = ", ".join(f"#{each.number} {_quoted(each.name)}" for each in found[:SHOWN])
        return f"Whom do you mean: {names}? /people and the number tells more."
    (known,) = found
    lines = [_heading(known)]
    lines += [f"{_told(each)} (#{each.memory_id})" for each in known.ties if each.holds][:SHOWN]
    over = [f"{_told(each)} (#{each.memory_id})" for each in known.ties if not each.holds]
    lines += ["No longer:", *over[:MEMORIES]] if over else []
    memories = _memories(call, known)
    lines += ["What you told me:", *memories] if memories else []
    if len(known.names) > 1:
        first, second = (_name(each) for each in known.names[:2])
        lines.append(f"If these are not the same: /people split {first}, {second}")
    return "\n".join(lines)


def _decide(call: Call, verb: str, words: str) -> str:
    if call.conversation.is_incognito:
        return INCOGNITO
    session, user_id, within = call.session, call.user_id, _scope(call)
    parts = [each for each in BETWEEN.split(words.strip()) if each]
    if len(parts) != 2:
        return HOW.format(verb=verb)
    found = [people.find(session, user_id, each, within) for each in parts]
    if not all(found):
        return NOT_KNOWN
    if any(len(each) > 1 for each in found):
        return "That may be several. /people lists all with their names."
    (one,), (other,) = found
    context, turn_id = call.conversation.context, call.caller.turn_id
    if verb == "merge":
        if one.number == other.number:
            return f"I know that already: {' and '.join(map(_quoted, one.names))} are the same."
        people.merge(session, user_id, one, other, call.now, context, turn_id=turn_id)
        return (
            f"{_quoted(one.name)} and {_quoted(other.name)} are one and the same to me from now "
            f"on. /people split {_name(one.name)}, {_name(other.name)} undoes it."
        )
    names = (one.name, other.name) if one.number != other.number else _written(one, parts)
    if names is None:
        return HOW.format(verb=verb)
    people.split(session, user_id, *names, call.now, context, turn_id=turn_id)
    first, second = map(_quoted, names)
    return (
        f"{first} and {second} are two different ones to me from now on. "
        f"/people merge {_name(names[0])}, {_name(names[1])} undoes it."
    )


def _written(known: Known, parts: Sequence[str]) -> tuple[str, str] | None:
    """Two of somebody's names, as they stand in the memories."""
    names = [
        next((name for name in known.names if name.casefold() == part.casefold()), "")
        for part in parts
    ]
    return (names[0], names[1]) if all(names) and names[0] != names[1] else None


def _memories(call: Call, known: Known) -> Sequence[str]:
    """What else is told of somebody."""
    user_id, within = call.user_id, _scope(call)
    whom = Meant(known.names, known.number, 0, frozenset(), frozenset())
    numbers = paths.memories_about(call.session, user_id, [whom], within)
    told = [
        each
        for each in ledger.get_many(call.session, user_id, numbers)
        if each.status is MemoryStatus.ACTIVE and each.context in call.seen
    ]
    return [f"#{each.memory_id} {quoted(each.text)}" for each in told[::-1][:MEMORIES]]


def _scope(call: Call) -> Scope:
    return Scope(call.now, call.seen)


def _heading(known: Known) -> str:
    kind = f" ({known.kind})" if known.kind else ""
    others = ", ".join(map(_name, known.names[1:]))
    return f"{_name(known.name)}{kind}" + (f", also called {others}" if others else "")


def _told(tie: Tie) -> str:
    """A relation as one line: Grace, sister of Ada, 2026-."""
    until = f"{tie.until:%Y}" if tie.until else ""
    since = "" if not tie.holds and not until else f", {tie.since:%Y}-{until}"
    return f"{_name(tie.subject or tie.object)}, {_relation(tie)}{since}"


def _relation(tie: Tie) -> str:
    thing = _name(tie.object) if tie.subject else ""
    return " ".join(filter(None, (_name(tie.predicate), thing)))


def _name(words: str) -> str:
    """A name, or what else is told of somebody, on one line and without quotes."""
    return quoted(words, longest=LONGEST_NAME).strip("“”")


def _quoted(name: str) -> str:
    return quoted(name, longest=LONGEST_NAME)
