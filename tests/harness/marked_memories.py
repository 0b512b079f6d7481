"""Memories that each have a word of their own, and a model that calls tools chat by chat: what
everybody is told can be held against whose it is."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from google.adk.models.llm_request import LlmRequest
from sqlalchemy import select
from sqlalchemy.orm import Session

from gaia.store import inbox, outbox
from gaia.store.engine import Database
from gaia.store.memory_tables import MemoryRow
from gaia.testing.function_model import Answer, ToolCall, last_user_text

MARK = re.compile(r"zq[a-p]+q")
"""The word of its own that a memory has."""

TAG = re.compile(r"[.,]{12}$")
"""Tells which chat a request to the model is of, in marks that are no words."""

CONTEXT = re.compile(r"<context>.*</context>", re.DOTALL)
CODE = re.compile(r"\b[A-Z2-9]{4}-[A-Z2-9]{4}\b")

Row = tuple[int, str, str, str]
"""Number, user id, text and status of a memory."""


def memory_rows(database: Database) -> list[Row]:
    """All memories there are, in the order of their numbers."""
    columns = (MemoryRow.memory_id, MemoryRow.user_id, MemoryRow.text, MemoryRow.status)
    with database.reading() as session:
        found = session.execute(select(*columns).order_by(MemoryRow.memory_id))
        return [(number, user, text, status) for number, user, text, status in found]


async def until_reminded(core: Any) -> None:
    """Have the reminders said that are due, and return when all are delivered."""
    await core.app.reminder_worker.say_due()
    await until_answered(core)


async def until_answered(core: Any) -> None:
    """Return once everybody has the answer to all that they said, and whatever else is to be
    sent to anybody."""
    while await core.database.read(_is_anything_open):  # noqa: ASYNC110
        await asyncio.sleep(0)


def _is_anything_open(session: Session) -> bool:
    unanswered = inbox.unfinished_conversations
    return bool(
        outbox.open_conversations(session)
        or unanswered(session, is_command=False)
        or unanswered(session, is_command=True)
    )


class Script:
    """Answers a text with the calls that are planned for its tag, and tells what they returned."""

    def __init__(self) -> None:
        self.calls: dict[str, list[ToolCall]] = {}

    def __call__(self, request: LlmRequest) -> Answer:
        if waiting := self.calls.get(tag_of(request)):
            return waiting.pop(0)
        results = [
            str(part.function_response.response)
            for part in request.contents[-1].parts or []
            if part.function_response
        ]
        return " ".join(results) or "I see."


def tag_of(request: LlmRequest) -> str:
    return str(TAG.findall(last_user_text(request))[0])


def everything(request: LlmRequest) -> str:
    """All that the model was told."""
    return "\n".join(content.model_dump_json() for content in request.contents)
