"""A person's removal from all files, also when it was cut short before."""

from pathlib import Path

from gaia.ops.removal import remove_person
from gaia.paths import Home
from gaia.sessions.opening import open_sessions
from gaia.sessions.service import SessionKey
from gaia.store.opening import open_database
from gaia.store.users import Role, User, Users
from gaia.testing.clock import FakeClock


async def test_a_removal_that_was_cut_short_is_completed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    database = await open_database(home)
    sessions = await open_sessions(home)
    users = Users(database, FakeClock())
    ada = await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    keys = [SessionKey(user.user_id, "terminal", "chat", 1) for user in (ada, bob)]
    for key in keys:
        await sessions.ensure(key)
    await sessions.delete_user(bob.user_id)

    await remove_person(users, sessions, bob)

    assert await users.list() == (ada,)
    assert [one.session_id for one in await sessions.list()] == [keys[0].session_id]
    await sessions.close()
    await database.close()


async def test_a_session_that_a_turn_began_meanwhile_goes_too(tmp_path: Path) -> None:
    home = Home(tmp_path)
    database = await open_database(home)
    sessions = await open_sessions(home)

    class BusyUsers(Users):
        async def remove(self, user: User) -> None:
            await sessions.ensure(SessionKey(user.user_id, "terminal", "chat", 1))
            await super().remove(user)

    users = BusyUsers(database, FakeClock())
    await users.create("Ada", Role.OWNER)
    bob = await users.create("Bob", Role.MEMBER)
    await remove_person(users, sessions, bob)
    assert await sessions.list() == []
    await sessions.close()
    await database.close()
