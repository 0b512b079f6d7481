"""All tables, what keeps the rows of `audit` as they are, and what counts changes of memory."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from gaia.store.migrations.first_memory_tables import create_memory_tables

revision = "0001"
down_revision = None

TRIGGERS = (
    "CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit "
    "BEGIN SELECT RAISE(ABORT, 'rows of audit are never deleted'); END",
    "CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OF audit_id, at, action, actor "
    "ON audit BEGIN SELECT RAISE(ABORT, 'rows of audit are never changed'); END",
    "CREATE TRIGGER audit_is_never_replaced BEFORE INSERT ON audit "
    "WHEN EXISTS (SELECT 1 FROM audit WHERE audit_id = NEW.audit_id) "
    "BEGIN SELECT RAISE(ABORT, 'rows of audit are never replaced'); END",
    *(
        f"CREATE TRIGGER {table}_version_{event} AFTER {event} ON {table} BEGIN UPDATE users "  # noqa: S608
        f"SET memory_version = memory_version + 1 WHERE user_id IN ({whose}); END"
        for table in ("memories", "profiles")
        for event, whose in (
            ("INSERT", "NEW.user_id"),
            ("UPDATE", "OLD.user_id, NEW.user_id"),
            ("DELETE", "OLD.user_id"),
        )
    ),
)

POSTGRES_TRIGGERS = (
    "CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$ "
    "BEGIN RAISE EXCEPTION 'rows of audit are never %', TG_ARGV[0] "
    "USING ERRCODE = 'integrity_constraint_violation'; END $$",
    "CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit "
    "FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit('deleted')",
    "CREATE TRIGGER audit_is_never_emptied BEFORE TRUNCATE ON audit "
    "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit('deleted')",
    "CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OF audit_id, at, action, actor "
    "ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit('changed')",
    *(
        statement
        for event, whose in (
            ("insert", "NEW.user_id"),
            ("update", "OLD.user_id, NEW.user_id"),
            ("delete", "OLD.user_id"),
        )
        for statement in (
            f"CREATE FUNCTION count_{event}_of_memory() RETURNS trigger LANGUAGE plpgsql AS $$ "  # noqa: S608
            "BEGIN UPDATE users SET memory_version = memory_version + 1 "
            f"WHERE user_id IN ({whose}); RETURN NULL; END $$",
            *(
                f"CREATE TRIGGER {table}_version_{event} AFTER {event} ON {table} "
                f"FOR EACH ROW EXECUTE FUNCTION count_{event}_of_memory()"
                for table in ("memories", "profiles")
            ),
        )
    ),
)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "audit",
        sa.Column("audit_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("action", sa.String(length=32), nullable=False),
        sa.Column("actor", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=40), nullable=False),
        sa.Column("channel", sa.String(length=32), nullable=True),
        sa.Column("sender", sa.String(length=255), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("audit_id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_at"), "audit", ["at"], unique=False)
    op.create_table(
        "job_runs",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("due_at", sa.DateTime(), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.Column("succeeded_at", sa.DateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("next_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_job_runs")),
    )
    op.create_table(
        "strangers",
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("sender", sa.String(length=255), nullable=False),
        sa.Column("told_at", sa.DateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("attempts_since", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "sender", name=op.f("pk_strangers")),
    )
    op.create_table(
        "users",
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("is_group", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("removed_at", sa.DateTime(), nullable=True),
        sa.Column("memory_version", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_users")),
    )
    op.create_index(
        "ix_users_name_key",
        "users",
        ["name_key"],
        unique=True,
        sqlite_where=sa.text("removed_at IS NULL"),
        postgresql_where=sa.text("removed_at IS NULL"),
    )
    op.create_table(
        "budget_notices",
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("budget", sa.String(length=8), nullable=False),
        sa.Column("stage", sa.String(length=8), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_budget_notices_user_id")
        ),
        sa.PrimaryKeyConstraint(
            "user_id", "day", "budget", "stage", name=op.f("pk_budget_notices")
        ),
    )
    op.create_table(
        "conversations",
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("chat", sa.String(length=255), nullable=False),
        sa.Column("first_chat", sa.String(length=255), nullable=False),
        sa.Column("direct", sa.Boolean(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("session_turns", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("last_message_at", sa.DateTime(), nullable=False),
        sa.Column("written_at", sa.DateTime(), nullable=True),
        sa.Column("asked_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.user_id"], name=op.f("fk_conversations_user_id")
        ),
        sa.PrimaryKeyConstraint("conversation_id", name=op.f("pk_conversations")),
        sa.UniqueConstraint(
            "user_id", "channel", "chat", name=op.f("uq_conversations_user_id_channel_chat")
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "events",
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.String(length=40), nullable=False),
        sa.Column("said_at", sa.DateTime(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_events_user_id")),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_events_session_id_event_id", "events", ["session_id", "event_id"], unique=False
    )
    op.create_index(op.f("ix_events_user_id"), "events", ["user_id"], unique=False)
    op.create_table(
        "identities",
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("sender", sa.String(length=255), nullable=False),
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_identities_user_id")),
        sa.PrimaryKeyConstraint("channel", "sender", name=op.f("pk_identities")),
    )
    op.create_index(op.f("ix_identities_user_id"), "identities", ["user_id"], unique=False)
    op.create_table(
        "pairings",
        sa.Column("pairing_id", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("code_hash", sa.LargeBinary(), nullable=False),
        sa.Column("channel", sa.String(length=32), nullable=True),
        sa.Column("sender", sa.String(length=255), nullable=True),
        sa.Column("chat", sa.String(length=255), nullable=True),
        sa.Column("direct", sa.Boolean(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("user_id", sa.String(length=40), nullable=True),
        sa.Column("role", sa.String(length=16), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.Column("used_at", sa.DateTime(), nullable=True),
        sa.Column("greeted_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_pairings_user_id")),
        sa.PrimaryKeyConstraint("pairing_id", name=op.f("pk_pairings")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_pairings_user_id"), "pairings", ["user_id"], unique=False)
    op.create_table(
        "usage",
        sa.Column("user_id", sa.String(length=40), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("model", sa.String(length=128), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=False),
        sa.Column("tokens_out", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Double(), server_default="0", nullable=False),
        sa.Column("tariff", sa.String(length=8), server_default="settings", nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.user_id"], name=op.f("fk_usage_user_id")),
        sa.PrimaryKeyConstraint("user_id", "day", "purpose", "model", name=op.f("pk_usage")),
    )
    op.create_index("ix_usage_day", "usage", ["day"], unique=False)
    op.create_table(
        "inbox",
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("provider_message_id", sa.String(length=255), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sender_name", sa.Text(), nullable=True),
        sa.Column("notes", sa.JSON(), nullable=False),
        sa.Column("attachments", sa.JSON(), nullable=False),
        sa.Column("album", sa.String(length=255), nullable=True),
        sa.Column("is_forwarded", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("edits", sa.JSON(), nullable=False),
        sa.Column("is_command", sa.Boolean(), nullable=False),
        sa.Column("wants_preview", sa.Boolean(), nullable=False),
        sa.Column("sent_at", sa.DateTime(), nullable=False),
        sa.Column("received_at", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("turn_id", sa.String(length=40), nullable=True),
        sa.Column("starts", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.conversation_id"],
            name=op.f("fk_inbox_conversation_id"),
        ),
        sa.PrimaryKeyConstraint("inbox_id", name=op.f("pk_inbox")),
        sa.UniqueConstraint(
            "channel", "provider_message_id", name=op.f("uq_inbox_channel_provider_message_id")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_inbox_conversation_id_received_at",
        "inbox",
        ["conversation_id", "received_at"],
        unique=False,
    )
    op.create_index(
        "ix_inbox_conversation_id_state", "inbox", ["conversation_id", "state"], unique=False
    )
    op.create_index(op.f("ix_inbox_turn_id"), "inbox", ["turn_id"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.String(length=40), nullable=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("final", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("repeated", sa.Boolean(), nullable=False),
        sa.Column("buttons", sa.JSON(), nullable=False),
        sa.Column("refused_since", sa.DateTime(), nullable=True),
        sa.Column("not_before", sa.DateTime(), nullable=True),
        sa.Column("provider_id", sa.String(length=255), nullable=True),
        sa.Column("failed_ids", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("sent_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.conversation_id"],
            name=op.f("fk_outbox_conversation_id"),
        ),
        sa.PrimaryKeyConstraint("outbox_id", name=op.f("pk_outbox")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_outbox_conversation_id_state", "outbox", ["conversation_id", "state"], unique=False
    )
    op.create_index(op.f("ix_outbox_turn_id"), "outbox", ["turn_id"], unique=False)
    op.create_table(
        "outbox_files",
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.String(length=128), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.conversation_id"],
            name=op.f("fk_outbox_files_conversation_id"),
        ),
        sa.ForeignKeyConstraint(
            ["outbox_id"], ["outbox.outbox_id"], name=op.f("fk_outbox_files_outbox_id")
        ),
        sa.PrimaryKeyConstraint("outbox_id", name=op.f("pk_outbox_files")),
    )
    op.create_index(
        op.f("ix_outbox_files_conversation_id"), "outbox_files", ["conversation_id"], unique=False
    )
    create_memory_tables()
    is_postgres = op.get_bind().dialect.name == "postgresql"
    for trigger in POSTGRES_TRIGGERS if is_postgres else TRIGGERS:
        op.execute(trigger)
