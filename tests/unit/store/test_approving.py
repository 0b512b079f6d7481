"""Approving a request for an address that the user was given by hand meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime

from gaia.core import pairing
from gaia.messages import Address, Inbound
from gaia.store import audit, pairings
from gaia.store.engine import Database
from gaia.store.pairings import new_code
from gaia.store.users import Role, Users
from gaia.testing.clock import FakeClock

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
PHONE = Address("telegram", "7")


async def test_a_user_whose_role_changed_meanwhile_is_still_the_same_one(
    database: Database,
) -> None:
    users = Users(database, FakeClock())
    as_it_was = await users.create("Grace", Role.MEMBER)
    wish = Inbound(PHONE, "7", "7:1", "let me in", NOW, sender_name="Grace")
    code = new_code()
    with database.writing() as session:
        pairing.request(session, code, wish, NOW)
        (wanted,) = pairings.requests(session, NOW)
    await users.link(as_it_was, PHONE)
    await users.set_role(as_it_was, Role.OWNER)
    let_in = await database.write(pairing.approve, wanted, as_user=as_it_was, by=audit.CLI, now=NOW)
    assert let_in.user_id == as_it_was.user_id
    assert await users.addresses(as_it_was) == (PHONE,)
