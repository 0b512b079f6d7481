"""/forget: shows what it would delete, asks, and deletes it for good."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from gaia.commands.memory_text import day, line
from gaia.commands.registry import Call, Command, Run, Topic
from gaia.commands.unread import unread_like
from gaia.core.proposals import KEEP_ALL, whether_to_forget
from gaia.core.sentences import or_in_words
from gaia.core.slash import Caller, Reply
from gaia.errors import UnknownForgetError
from gaia.memory import forget, ledger
from gaia.memory.excerpts import quoted
from gaia.memory.memory import Memory
from gaia.memory.search.recall import Finder
from gaia.memory.text import normalise
from gaia.messages import Button
from gaia.store import forgets
from gaia.store.memory_tables import MemoryStatus
from gaia.text import counted, counted_memories

SHOWN = 10
"""Memories that a question lists; of more, their number."""

LIKENESSES = 5
"""Memories that a question is about, at most, when none holds the words themselves."""

NUMBERS = re.compile(r"#?\d{1,18}(?:[\s,]+#?\d{1,18})*", re.ASCII)
CONFIRMED = re.compile(r"yes(?:\s+#?(?P<number>\d{1,18}))?[\s.,!]*", re.ASCII | re.IGNORECASE)

_POINTERS = """
it that this them those these everything all anything one about please
das es dies alles eso esto todo ça cela tout isso isto tudo questo quello tutto dat dit det
wszystko это всё все 这个 那个 它 全部 それ これ 그것 이것 전부
"""
POINTERS = frozenset(_POINTERS.split())
"""Words that name nothing, wherever a phrase is made of them alone: who writes /forget
it may mean the last answer, or nothing at all."""

UNCLEAR = (
    "What should I forget? Write /forget and some of its words, or its number; /forget alone "
    "means everything. I ask before I delete anything."
)
WHICH = "Somebody else may have asked me since: add the number, as in /forget yes 12."


def cancel(call: Call) -> str:
    """Drop the question that was asked last."""
    forgets.withdraw(call.session, call.user_id)
    return "Nothing was changed."


def forget_command(
    finder: Finder,
    changed: Callable[[], None],
    refusal: Callable[[Caller], Awaitable[str | None]],
) -> Command:
    """The command; `finder` helps where no memory holds the words, `changed` is called
    once something is gone, and `refusal` tells why somebody may not forget for a group."""

    async def prepare(caller: Caller, words: str) -> Run:
        refused = await refusal(caller)
        if refused is not None:
            return lambda _: refused
        if not words:
            return _ask_for_everything
        if CONFIRMED.fullmatch(words):
            return confirm
        if NUMBERS.fullmatch(words):
            return _ask_for_numbers
        named = re.findall(r"\w+", normalise(words))
        if named and POINTERS.issuperset(named):
            return _ask_what
        like = await finder.relevant(caller.user.user_id, words, limit=LIKENESSES)
        return _asking_for_words(like)

    def confirm(call: Call) -> str | Reply:
        return _confirm(call, changed)

    return Command("forget", "Forget something for good", prepare, topic=Topic.MEMORY)


def _ask_what(_: Call) -> str:
    return UNCLEAR


def _ask_for_everything(call: Call) -> str | Reply:
    total = ledger.count(call.session, call.user_id)
    forget_id = forget.ask(call.session, call.user_id, everything=True, now=call.now)
    if call.conversation.direct:
        whole = f"{counted_memories(total)}, and all of your conversations with me"
    else:
        whole = f"{counted_memories(total)} of this group, and all that was said with me here"
    return _question(
        call,
        f"Should I forget everything? That means {whole}. It cannot be undone.",
        forget_id,
    )


def _ask_for_numbers(call: Call) -> str | Reply:
    """What is no memory's number may stand in one, as a house's or a phone's."""
    ids = [int(number) for number in re.findall(r"\d+", call.words)]
    found = ledger.get_many(call.session, call.user_id, ids)
    if found:
        return _ask(call, found, "I found this")
    return _asking_for_words(())(call)


def _asking_for_words(like: Sequence[Memory]) -> Run:
    def ask(call: Call) -> str | Reply:
        ids = forget.with_words(call.session, call.user_id, call.words)
        said = forget.said_with(call.session, call.user_id, call.words)
        head, words = "this contains your words", call.words
        if not ids and said:
            return _ask_for_said(call, call.words, said, "")
        if not ids:
            ids = [memory.memory_id for memory in like]
            head, words = "nothing contains those words, but this is similar", ""
        found = ledger.get_many(call.session, call.user_id, ids)
        if not words:
            found = [memory for memory in found if memory.status is MemoryStatus.ACTIVE]
        if not found and (sentence := unread_like(call, call.words)):
            said = forget.said_with(call.session, call.user_id, sentence)
            return _ask_for_said(call, sentence, said, "")
        if not found:
            return (
                f"Nothing in {call.whose} memory is similar to {quoted(call.words)}, so "
                "there is nothing to forget. /memory lists everything."
            )
        return _ask(call, found, head, words, said)

    return ask


def _ask_for_said(call: Call, words: str, said: Sequence[datetime], before: str) -> Reply:
    """Ask about messages that merely hold the words."""
    forget_id = forget.ask(call.session, call.user_id, words=words, now=call.now)
    shown = (
        f"{before}No memory, but {_messages(said)} of ours contain {quoted(words)}: {_days(said)}."
    )
    if len(said) == 1:
        shown = shown.replace(" contain ", " contains ")
    direct = call.conversation.direct
    return whether_to_forget(shown, len(said), forget_id, direct=direct)


def _messages(said: Sequence[datetime]) -> str:
    return counted(len(said), "message", "messages")


def _days(said: Sequence[datetime]) -> str:
    """How many of them were said on which day, the newest first."""
    days = Counter(map(day, sorted(said, reverse=True)))
    told = [f"{number} on {name}" for name, number in islice(days.items(), SHOWN)]
    more = len(days) - len(told)
    return ", ".join(told) + (f", and on {counted(more, 'more day', 'more days')}" if more else "")


def _ask(
    call: Call,
    found: Sequence[Memory],
    head: str,
    words: str = "",
    said: Sequence[datetime] = (),
) -> Reply:
    forget_id = forget.ask(
        call.session,
        call.user_id,
        memory_ids=[memory.memory_id for memory in found],
        words=words,
        now=call.now,
    )
    lines = [f"In {call.whose} memory {head}:"]
    lines += [line(memory) for memory in sorted(found, key=lambda each: -each.memory_id)[:SHOWN]]
    if len(found) > SHOWN:
        lines.append(f"… and {len(found) - SHOWN:,} more")
    if words and said:
        lines.append(f"And in {_messages(said)} of ours: {_days(said)}.")
    count, direct = len(found) + len(said) * bool(words), call.conversation.direct
    return whether_to_forget("\n".join(lines), count, forget_id, direct=direct)


def _question(call: Call, text: str, forget_id: int) -> Reply:
    command = f"/forget yes {forget_id}"
    answer = or_in_words("yes", direct=call.conversation.direct) + command
    buttons = (Button("Forget", command, "yes"), KEEP_ALL)
    return Reply(f"{text} Answer {answer}, within an hour.", buttons)


def _confirm(call: Call, changed: Callable[[], None]) -> str | Reply:
    said = CONFIRMED.fullmatch(call.words)
    number = said["number"] if said else None
    if number is None and not call.conversation.direct:
        return WHICH
    try:
        gone = forget.confirm(
            call.session,
            call.user_id,
            None if number is None else int(number),
            inbox_id=call.caller.inbox_id,
            now=call.now,
        )
    except UnknownForgetError:
        return (
            "There is no such open question: it is answered, or older than an hour. Write /forget "
            "again and say what I should forget."
        )
    what = "Forgot everything" if gone.everything else "Forgotten"
    told = f"{what}: {counted_memories(gone.count)}. {forget.SENTENCE}"
    if not gone.everything and not gone.count:
        told = f"Forgotten: what we said of it. {forget.SENTENCE}"
    if gone.word:
        left = forget.said_with(call.session, call.user_id, gone.word)
        if left:
            asked = _ask_for_said(call, gone.word, left, f"{told}\n")
            return replace(asked, committed=changed)
    return Reply(told, committed=changed)
