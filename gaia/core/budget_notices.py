"""Notices that a day's tokens run out: to a user of their own, to owners of those of all.

Nobody else hears of what all use together: it would tell of other people. Each notice
is written once a day, behind the answer of the turn that it comes with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from gaia.core import budget_sentences
from gaia.core.access import TERMINAL
from gaia.core.budgets import Budgets
from gaia.core.splitting import split_notice
from gaia.ports import Channel, Clock
from gaia.store import conversations, identities, outbox, usage
from gaia.store.conversations import Conversation
from gaia.store.usage import Budget, Stage


class BudgetNotices:
    """Tells users of budgets, within the caller's transaction."""

    def __init__(self, budgets: Budgets, channels: Mapping[str, Channel], clock: Clock) -> None:
        self._budgets = budgets
        self._channels = channels
        self._clock = clock

    def refusal(self, session: Session, conversation: Conversation) -> str | None:
        """What is said in the place of an answer once a budget is used up; None when a
        remote model may be asked."""
        used_up = self._budgets.used_up(session, conversation.user_id)
        if used_up is None:
            return None
        return budget_sentences.refused(
            used_up, self._budgets.goes_on_at(), is_group=not conversation.direct
        )

    def after_turn(
        self, session: Session, conversation: Conversation, *, was_answered: bool
    ) -> Sequence[int]:
        """Write what is to be told now that the turn's tokens are counted; returns the
        conversations that it is written to. A user whose turn was not answered hears
        nothing of their own budget: they were told why."""
        written: list[int] = []
        for level in self._budgets.levels(session, conversation.user_id):
            if level.stage is None:
                continue
            if level.budget is Budget.ALL:
                written += self._tell_owners(session, conversation, level.stage)
            elif was_answered:
                told = budget_sentences.to_user(
                    level.stage, self._budgets.goes_on_at(), is_group=not conversation.direct
                )
                if self._note(session, conversation.user_id, level.budget, level.stage):
                    written.append(self._write(session, conversation, told))
        return written

    def _tell_owners(
        self, session: Session, conversation: Conversation, stage: Stage
    ) -> Sequence[int]:
        """Each in the direct chat that they used last; at the terminal, which nobody may
        sit at, only if it is there that they talk now."""
        written: list[int] = []
        told = budget_sentences.to_owner(stage, self._budgets.goes_on_at())
        for owner in identities.owners(session):
            is_here = owner.user_id == conversation.user_id
            channels = set(self._channels) - {TERMINAL}
            channels |= {conversation.channel} if is_here else set()
            chat = conversations.latest_direct(session, owner.user_id, channels)
            if chat and self._note(session, owner.user_id, Budget.ALL, stage):
                written.append(self._write(session, chat, told))
        return written

    def _note(self, session: Session, user_id: str, budget: Budget, stage: Stage) -> bool:
        today = self._clock.now().astimezone().date()
        return usage.note_told(session, user_id, today, budget, stage)

    def _write(self, session: Session, chat: Conversation, text: str) -> int:
        outbox.add(
            session,
            conversation_id=chat.conversation_id,
            turn_id=None,
            chunks=split_notice(self._channels, chat.channel, text),
            now=self._clock.now(),
        )
        return chat.conversation_id
