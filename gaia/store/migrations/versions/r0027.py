"""A process tells whether it serves, or lives for as long as a chat at its machine: that one leads
only where nobody serves."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Add the column. Those that work meanwhile serve."""
    if op.get_bind().dialect.name == "postgresql":
        column: sa.Column[bool] = sa.Column(
            "serves", sa.Boolean(), nullable=False, server_default=sa.true()
        )
        op.add_column("processes", column)
