"""Turns that were said, without a model."""

from __future__ import annotations

from sqlalchemy.orm import Session

from gaia.sessions.service import stopped_turn, stored_events
from gaia.store import sessions
from gaia.store.sessions import SessionKey


def add_turn(session: Session, key: SessionKey, turn_id: str, text: str, answer: str) -> None:
    """Write a turn into a session: what was asked, and what was answered."""
    sessions.add(session, key, stored_events(stopped_turn(turn_id, text, answer)))
