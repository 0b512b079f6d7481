"""Nothing is left of incognito messages that were stopped while they waited, or refused."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

LEFT = "is_incognito AND finished_at IS NOT NULL AND text != ''"
FORGETS = sa.table(
    "forgets",
    sa.column("user_id", sa.String()),
    sa.column("state", sa.String()),
    sa.column("everything", sa.Boolean()),
    *(sa.column(name, sa.JSON()) for name in ("memory_ids", "phrases", "turn_ids")),
    sa.column("inbox_id", sa.Integer()),
    sa.column("created_at", sa.DateTime()),
)
NOTHING = {
    "state": "fading",
    "everything": False,
    "memory_ids": [],
    "phrases": [],
    "turn_ids": [],
    "inbox_id": 0,
}


def upgrade() -> None:
    """Empty them, and have the files written again that may still hold them."""
    users = sa.text(
        "SELECT DISTINCT user_id FROM conversations WHERE conversation_id IN "  # noqa: S608
        f"(SELECT conversation_id FROM inbox WHERE {LEFT})"
    )
    now = datetime.now(UTC).replace(tzinfo=None)
    op.bulk_insert(
        FORGETS,
        [
            {**NOTHING, "user_id": user_id, "created_at": now}
            for user_id in op.get_bind().execute(users).scalars()
        ],
    )
    op.execute(
        "UPDATE inbox SET text = '', notes = '[]', replied_to = NULL, attachments = '[]', "  # noqa: S608
        f"sender_name = NULL WHERE {LEFT}"
    )
