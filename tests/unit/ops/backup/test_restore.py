"""A home that is restored: all of it or nothing, and nothing in it does things twice."""

import stat
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from gaia.errors import BackupDamagedError, BackupError
from gaia.messages import Address, Inbound
from gaia.ops.backup.create import Made
from gaia.ops.backup.restore import restore_backup
from gaia.paths import Home
from gaia.store import audit, conversations, inbox, indexes, outbox, page_sessions
from gaia.store.audit import Action
from gaia.store.engine import Database
from gaia.store.opener import open_database
from gaia.store.ops_tables import PageLinkRow, PageSessionRow
from gaia.store.people import pairings
from gaia.store.people.pairing_tables import PairingPurpose, PairingRow
from gaia.store.tables import InboxRow, InboxState, OutboxRow, OutboxState, UserRow
from gaia.testing.clock import START, FakeClock

pytestmark = pytest.mark.sqlite

Make = Callable[..., Awaitable[Made]]


@pytest.fixture
def place(tmp_path: Path) -> Home:
    return Home(tmp_path / "elsewhere" / "home")


def modes(home: Home) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.root.iterdir()}


async def test_a_restored_home_is_private_and_has_what_the_backup_has(
    make: Make, place: Home
) -> None:
    made = await make(with_secrets=True)
    restored = await restore_backup(made.path, None, place, FakeClock())
    assert (restored.manifest, restored.contents.memories) == (made.manifest, 1)
    assert stat.S_IMODE(place.root.stat().st_mode) == 0o700
    names = ["gaia.db", "gaia.yaml", ".env", "daemon.lock"]
    assert modes(place) == dict.fromkeys(names, 0o600)
    assert [path.name for path in place.root.parent.iterdir()] == ["home"]
    assert place.settings_file.read_text() == "backup:\n  hour: 5\n"


async def test_it_is_noted_in_the_audit(make: Make, place: Home) -> None:
    await restore_backup((await make()).path, None, place, FakeClock())
    database = await open_database(place)
    entry = (await database.read(audit.entries, limit=9))[-1]
    await database.close()
    assert (entry.action, entry.actor) == (Action.RESTORED, audit.CLI)
    assert entry.detail == "a backup of 2026-01-01 12:00:00 UTC"


async def test_an_empty_folder_is_taken(make: Make, place: Home) -> None:
    place.root.mkdir(parents=True)
    await restore_backup((await make()).path, None, place, FakeClock())
    assert place.database.exists()


async def test_what_is_in_the_way_is_named_and_left(make: Make, home: Home) -> None:
    made = await make()
    before = home.database.read_bytes()
    with pytest.raises(BackupError, match=r"not empty, it has .*gaia\.db"):
        await restore_backup(made.path, None, home, FakeClock())
    assert home.database.read_bytes() == before


async def test_of_a_damaged_backup_nothing_is_restored(make: Make, place: Home) -> None:
    path = (await make()).path
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BackupDamagedError):
        await restore_backup(path, None, place, FakeClock())
    assert list(place.root.parent.iterdir()) == []


async def test_what_comes_into_the_way_meanwhile_is_left(make: Make, place: Home) -> None:
    class Slow:
        def step(self, what: str) -> None:
            place.create()

        def bytes_done(self, done: int, total: int) -> None:
            pass

    made = await make()
    with pytest.raises(BackupError, match="nothing else writes there"):
        await restore_backup(made.path, None, place, FakeClock(), Slow())
    assert sorted(path.name for path in place.root.iterdir()) == ["logs", "models"]
    assert [path.name for path in place.root.parent.iterdir()] == ["home"]


async def test_a_home_that_is_a_disk_of_its_own_is_filled(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await make()
    root = tmp_path / "disk"
    (root / "lost+found").mkdir(parents=True)
    monkeypatch.setattr("os.path.ismount", lambda path: path == root)
    await restore_backup(made.path, None, Home(root), FakeClock())
    assert sorted(modes(Home(root))) == ["daemon.lock", "gaia.db", "gaia.yaml", "lost+found"]
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


async def test_a_home_that_cannot_be_made_is_told_of(make: Make, tmp_path: Path) -> None:
    made = await make()
    (tmp_path / "file").write_text("")
    with pytest.raises(BackupError, match="file"):
        await restore_backup(made.path, None, Home(tmp_path / "file" / "home"), FakeClock())


async def leave_work(home: Home) -> None:
    """A message that waits, one with its turn under way, a command, a reply that waits, one
    that is being sent, a code, who is signed in to the memory page, a link to it, and an index."""
    now = START - timedelta(minutes=1)
    database = await open_database(home)
    with database.writing() as session:
        user_id = session.scalars(select(UserRow.user_id)).one()
        chat = conversations.find_or_create(
            session, user_id=user_id, channel="fake", chat="1", direct=True, now=now
        )
        for number, text in enumerate(("waits", "runs", "/forget")):
            inbound = Inbound(
                address=Address("fake", "ada"),
                chat="1",
                provider_message_id=str(number),
                text=text,
                sent_at=now,
            )
            inbox.record(session, inbound, chat, is_command=text[0] == "/", now=now)
        rows = {row.text: row for row in session.scalars(select(InboxRow))}
        rows["runs"].state, rows["runs"].turn_id, rows["runs"].starts = "running", "t1", 1
        for _ in range(2):
            outbox.add(
                session,
                conversation_id=chat.conversation_id,
                turn_id=None,
                chunks=["hello"],
                now=now,
            )
        sent = session.scalars(select(OutboxRow)).first()
        assert sent is not None
        sent.state = OutboxState.SENDING
        terms = pairings.Terms(PairingPurpose.INVITE)
        pairings.add(session, terms, pairings.new_code(), now)
        page_sessions.enter(session, page_sessions.add_link(session, user_id, now), now)
        page_sessions.add_link(session, user_id, now)
        index = indexes.begin(session, "e5", now)
        indexes.activate(session, index.index_id)
    await database.close()


async def states(
    database: Database, now: datetime
) -> tuple[dict[str, str], list[str], bool, list[str]]:
    with database.reading() as session:
        messages = {row.text: row.state for row in session.scalars(select(InboxRow))}
        chunks = [row.state for row in session.scalars(select(OutboxRow))]
        valid = session.scalars(select(PairingRow.expires_at)).one() > now
        prints = [state.fingerprint for state in indexes.every(session)]
    return messages, chunks, valid, prints


@pytest.mark.parametrize(
    ("while_running", "hours", "takes_up"),
    [(False, 0, True), (False, 7, False), (True, 0, False), (False, -1, False)],
)
async def test_what_waited_is_taken_up_only_after_a_move(
    home: Home, make: Make, place: Home, while_running: bool, hours: int, takes_up: bool
) -> None:
    await leave_work(home)
    made = await make(while_running=while_running)
    clock = FakeClock(START + timedelta(hours=hours))
    restored = await restore_backup(made.path, None, place, clock)
    assert (restored.waiting.messages, restored.waiting.chunks) == (3, 2)
    assert restored.takes_up is takes_up
    database = await open_database(place)
    messages, chunks, valid, prints = await states(database, clock.now())
    with database.reading() as session:
        signed_in = [session.scalars(select(row)).all() for row in (PageLinkRow, PageSessionRow)]
    await database.close()
    assert signed_in == [[], []]
    assert prints == [""]
    if takes_up:
        assert messages == {"waits": "queued", "runs": "running", "/forget": "queued"}
        assert sorted(chunks) == ["pending", "sending"]
        assert valid
    else:
        assert messages["waits"] == messages["/forget"] == InboxState.STOPPED
        assert messages["runs"] == InboxState.STOPPING
        assert chunks == [OutboxState.DEAD] * 2
        assert not valid
