"""Plain words that stand for a command: the answer to what gaia asked, the request for a
reminder, and what a model without tools cannot do. Nobody has to understand them, so that they
work with every model and with none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo

from sqlalchemy.orm import Session

from gaia.core import sentences
from gaia.core.plain_requests import command_of
from gaia.core.yes_or_no import LONGEST, SNOOZE, answer_of
from gaia.memory.reminders import requests as reminder_words
from gaia.messages import Inbound
from gaia.settings.schema import Settings
from gaia.store import edits, questions
from gaia.store.conversations import Conversation
from gaia.store.edits import REMIND
from gaia.store.people.users import User
from gaia.store.questions import HiddenQuestion, Question
from gaia.swappable import Swappable
from gaia.zones import zone_of

ANSWERED_WITHIN = timedelta(hours=1)
"""How long a question waits for a yes or a no."""

REMINDED_WITHIN = timedelta(days=1)
"""How long a reminder waits to be done, or put off."""

LATE = timedelta(seconds=30)
"""A message that took no longer was written when it came: the clocks of providers and of this
machine are not the same."""


class OpenQuestions:
    """The conversations in which a question waits for a yes or no, so that it is said when it is
    dropped. What was asked stands in the outbox; of one that is incognito it is here alone."""

    def __init__(self) -> None:
        self._asked: dict[int, tuple[datetime, HiddenQuestion | None]] = {}

    def add(
        self, conversation_id: int, now: datetime, hidden: HiddenQuestion | None = None
    ) -> None:
        """Note that a question was asked; `hidden` is one that the outbox does not keep."""
        self._asked[conversation_id] = (now, hidden)

    def discard(self, conversation_id: int) -> None:
        """Note that none waits any more."""
        self._asked.pop(conversation_id, None)

    def dropped_by(
        self, session: Session, conversation: Conversation, inbound: Inbound, now: datetime
    ) -> str | None:
        """What is said when a message that answers nothing drops a question: nothing, where that
        is from long ago and no answer either; None where none waits, and in a group, where others
        speak on, unless it would be an answer to that question."""
        asked = self._asked.get(conversation.conversation_id)
        if asked is None:
            return None
        is_answer = answer_of(inbound.text) in ("yes", "no")
        is_old = now - asked[0] > ANSWERED_WITHIN
        if conversation.direct:
            late = sentences.ASKED_LONG_AGO if is_answer else ""
            return late if is_old else sentences.NOT_ANSWERED
        if is_old:
            return ""
        is_meant = is_answer and _is_to_question(session, inbound, conversation, now)
        return sentences.NOT_ANSWERED_IN_GROUP if is_meant else None

    def hidden(self, conversation_id: int) -> HiddenQuestion | None:
        """The question that waits in a conversation and that the outbox does not keep."""
        asked = self._asked.get(conversation_id)
        return None if asked is None else asked[1]


class PlainWords:
    """Tells which command a message stands for, by the present settings. `is_small` says
    whether the embedded model answers, which promises what it has no tools for."""

    def __init__(
        self,
        settings: Swappable[Settings],
        open_questions: OpenQuestions,
        is_small: Callable[[], bool],
    ) -> None:
        self._settings = settings
        self._open_questions = open_questions
        self._is_small = is_small

    def as_command(
        self,
        session: Session,
        inbound: Inbound,
        conversation: Conversation,
        user: User,
        now: datetime,
    ) -> Inbound:
        """The message; as the command that it stands for where it answers what gaia said last
        in that chat, or what it replies to, or asks for a reminder and for nothing else, or for
        what the model has no tools for. In a group nobody answers for somebody else: there a
        reply is the answer to a reminder, and to anything else the command itself. An edit
        answers nothing, and one of a request for a reminder is such a request."""
        if inbound.is_forwarded or inbound.attachments:
            return inbound
        memory = self._settings.value.memory
        said_at = min(inbound.sent_at, now)
        at = _Place(now, said_at, zone_of(user.zone), memory.reminder_hour)
        text, command = inbound.text.strip(), ""
        is_edit, is_plain = inbound.edit_of is not None, not text.startswith("/")
        if text and not is_edit and len(text) <= LONGEST and "?" not in text and is_plain:
            hidden = self._open_questions.hidden(conversation.conversation_id)
            question = _question(session, inbound, conversation, now, hidden)
            command = "" if question is None else _answer(question, text, at)
        if not command and text and not inbound.notes and is_plain:
            chat = conversation.conversation_id
            is_of_reminder = memory.enabled and edits.is_of_reminder(session, inbound, chat)
            command = f"{REMIND} {text}" if is_of_reminder else self._request(text, at)
        return replace(inbound, text=command) if command else inbound

    def _request(self, text: str, at: _Place) -> str:
        """The command that a request stands for: for a reminder if rules can set it, and where
        the model has no tools for any, since the command asks for what is missing, and for what
        else there is a command."""
        has_tools = not self._is_small() or self._settings.value.model.embedded.tools
        if self._settings.value.memory.enabled and (
            at.asks_for_reminder(text) or (not has_tools and reminder_words.is_request(text))
        ):
            return f"{REMIND} {text}"
        return "" if has_tools else command_of(text, at.said_at, at.zone, at.hour)


@dataclass(frozen=True, slots=True)
class _Place:
    """When and where words are read and were said, and the hour of a day for which none is
    named."""

    now: datetime
    said_at: datetime
    zone: tzinfo
    hour: int

    def asks_for_reminder(self, text: str) -> bool:
        wanted = reminder_words.asked_for(text, self.said_at, self.zone, self.hour)
        return wanted is not None and bool(wanted.task)

    def is_time(self, text: str) -> bool:
        return reminder_words.time_named(text, self.said_at, self.zone, self.hour) is not None


def _question(
    session: Session,
    inbound: Inbound,
    conversation: Conversation,
    now: datetime,
    hidden: HiddenQuestion | None,
) -> Question | None:
    """What a message may be the answer to."""
    since, chat = now - REMINDED_WITHIN, conversation.conversation_id
    if (replied := inbound.replied_to) is not None:
        asked = replied.message_id and questions.sent_as(session, chat, replied.message_id, since)
        is_theirs = asked and (conversation.direct or "done" in asked.commands)
        return asked if asked and is_theirs else None
    if not conversation.direct:
        return None
    is_late = inbound.is_late or now - inbound.sent_at > LATE
    until = inbound.sent_at if is_late else now
    return questions.waiting(session, chat, since, until, hidden)


def _is_to_question(
    session: Session, inbound: Inbound, conversation: Conversation, now: datetime
) -> bool:
    """Whether a yes or no in a group is meant for a question that waits there: it replies to
    that, or to nothing while gaia has said nothing since."""
    chat, since = conversation.conversation_id, now - ANSWERED_WITHIN
    if (replied := inbound.replied_to) is None:
        asked = questions.waiting(session, chat, since, now)
    elif replied.message_id is None:
        return False
    else:
        asked = questions.sent_as(session, chat, replied.message_id, since)
    return asked is not None and "yes" in asked.commands


def _answer(question: Question, text: str, at: _Place) -> str:
    """The command that an answer stands for; none where it is no answer."""
    commands, answer = question.commands, answer_of(text)
    if answer in ("yes", "no"):
        if question.sent_at < at.now - ANSWERED_WITHIN:
            return ""
        # Whoever says yes to a reminder is on it, and no to the promise of one wants none.
        return commands.get(answer, commands.get("done" if answer == "yes" else "cancel", ""))
    if answer == "cancel" and "done" in commands:
        return commands["done"].replace(" done ", " cancel ", 1)
    if answer is not None:
        return commands.get(answer, "")
    return _at_time(question, text, at)


def _at_time(question: Question, text: str, at: _Place) -> str:
    """The command that puts a reminder off until the time that the words name, or sets the one
    whose time was asked for."""
    usual = question.commands.get("later", question.commands.get("when"))
    words = SNOOZE.sub("", text, count=1).strip()
    if usual is None or not at.is_time(words):
        return ""
    return f"{' '.join(usual.split(' ')[:3])} {words}"
