"""Memories that were held are pending, and a request to forget looks for phrases."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

WINDOWS = sa.table(
    "digest_windows",
    sa.column("digest_id", sa.Integer()),
    sa.column("number", sa.Integer()),
    sa.column("outcome", sa.Text()),
)


def upgrade() -> None:
    """Rename the status, the field of what was read of a window, and the column."""
    op.execute("UPDATE memories SET status = 'pending' WHERE status = 'held'")
    op.execute("ALTER TABLE forgets RENAME COLUMN needles TO phrases")
    connection = op.get_bind()
    for digest_id, number, stored in connection.execute(sa.select(WINDOWS)).all():
        outcome = json.loads(stored)
        for proposal in outcome.get("proposals", ()):
            if "held" in proposal:
                proposal["pending"] = proposal.pop("held")
        connection.execute(
            sa.update(WINDOWS)
            .where(WINDOWS.c.digest_id == digest_id, WINDOWS.c.number == number)
            .values(outcome=json.dumps(outcome))
        )
