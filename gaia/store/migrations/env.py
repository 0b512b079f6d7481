"""What Alembic runs for each command. `gaia.store.migrate` hands in the
connection, and its transaction covers all migrations of a run."""

from __future__ import annotations

from alembic import context

from gaia.store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
context.run_migrations()
