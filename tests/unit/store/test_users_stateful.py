"""Users and identities under any sequence of changes, against a model in plain dicts."""

import asyncio
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from gaia.errors import (
    AddressTakenError,
    LastOwnerError,
    UnknownAddressError,
    UnknownUserError,
    UserNameTakenError,
)
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.engine import Database
from gaia.store.opening import open_database
from gaia.store.users import Role, User, Users
from gaia.testing.clock import FakeClock

NAMES = st.sampled_from(["Ada", "ada", "ADA", "Bob", "Grace", "grace"])
ROLES = st.sampled_from(Role)
ALL_ADDRESSES = (Address("terminal", "1"), Address("telegram", "1"), Address("telegram", "ada"))
ADDRESSES = st.sampled_from(ALL_ADDRESSES)


def new_database() -> bytes:
    """The bytes of a fresh gaia.db, so that each example starts without migrating."""

    async def create(home: Home) -> None:
        await (await open_database(home)).close()

    folder = Path(tempfile.mkdtemp())
    asyncio.run(create(Home(folder)))
    content = (folder / "gaia.db").read_bytes()
    shutil.rmtree(folder)
    return content


class UsersMachine(RuleBasedStateMachine):
    """Every rule changes gaia.db and the model alike; the invariants compare them."""

    users_ever = Bundle("users_ever")
    fresh: bytes

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        path = self.folder / "gaia.db"
        path.write_bytes(self.fresh)
        self.runner = asyncio.Runner()
        self.database = Database(path)
        self.users = Users(self.database, FakeClock())
        self.living: dict[str, tuple[str, Role]] = {}
        self.owner_of: dict[Address, str] = {}
        self.ids_ever: set[str] = set()

    def teardown(self) -> None:
        self.runner.run(self.database.close())
        self.runner.close()
        shutil.rmtree(self.folder)

    @rule(target=users_ever, name=NAMES, role=ROLES, address=st.none() | ADDRESSES)
    def create(self, name: str, role: Role, address: Address | None) -> object:
        taken = name.casefold() in {known.casefold() for known, _ in self.living.values()}
        if taken or address in self.owner_of:
            with pytest.raises(UserNameTakenError if taken else AddressTakenError):
                self.runner.run(self.users.create(name, role, address))
            return multiple()
        user = self.runner.run(self.users.create(name, role, address))
        assert user.user_id not in self.ids_ever, "an id was given twice"
        self.ids_ever.add(user.user_id)
        self.living[user.user_id] = (name, role)
        if address is not None:
            self.owner_of[address] = user.user_id
        return user

    @rule(user=users_ever, address=ADDRESSES)
    def link(self, user: User, address: Address) -> None:
        if user.user_id not in self.living:
            expected: type[Exception] | None = UnknownUserError
        elif self.owner_of.get(address, user.user_id) != user.user_id:
            expected = AddressTakenError
        else:
            expected = None
        if expected:
            with pytest.raises(expected):
                self.runner.run(self.users.link(user, address))
        else:
            self.runner.run(self.users.link(user, address))
            self.owner_of[address] = user.user_id

    @rule(address=ADDRESSES)
    def unlink(self, address: Address) -> None:
        if address in self.owner_of:
            self.runner.run(self.users.unlink(address))
            del self.owner_of[address]
        else:
            with pytest.raises(UnknownAddressError):
                self.runner.run(self.users.unlink(address))

    @rule(user=users_ever, role=ROLES)
    def set_role(self, user: User, role: Role) -> None:
        if user.user_id not in self.living:
            with pytest.raises(UnknownUserError):
                self.runner.run(self.users.set_role(user, role))
        elif role is not Role.OWNER and self._is_last_owner(user):
            with pytest.raises(LastOwnerError):
                self.runner.run(self.users.set_role(user, role))
        else:
            self.runner.run(self.users.set_role(user, role))
            self.living[user.user_id] = (user.name, role)

    @rule(user=users_ever)
    def remove(self, user: User) -> None:
        if user.user_id not in self.living:
            with pytest.raises(UnknownUserError):
                self.runner.run(self.users.remove(user))
        elif self._is_last_owner(user):
            with pytest.raises(LastOwnerError):
                self.runner.run(self.users.remove(user))
        else:
            self.runner.run(self.users.remove(user))
            del self.living[user.user_id]
            self.owner_of = {
                address: owner for address, owner in self.owner_of.items() if owner in self.living
            }

    @invariant()
    def the_living_and_their_addresses_are_those_of_the_model(self) -> None:
        self.runner.run(self._compare())

    async def _compare(self) -> None:
        listed = await self.users.list()
        assert {user.user_id: (user.name, user.role) for user in listed} == self.living
        held = [(a, user.user_id) for user in listed for a in await self.users.addresses(user)]
        assert len(held) == len(dict(held)), "an address belongs to two users"
        assert dict(held) == self.owner_of
        for address in ALL_ADDRESSES:
            user = await self.users.resolve(address)
            assert (user.user_id if user else None) == self.owner_of.get(address)

    def _is_last_owner(self, user: User) -> bool:
        owners = [user_id for user_id, (_, role) in self.living.items() if role is Role.OWNER]
        return owners == [user.user_id]


def test_no_sequence_of_changes_mixes_two_people_up() -> None:
    UsersMachine.fresh = new_database()
    run_state_machine_as_test(
        UsersMachine,
        settings=settings(
            max_examples=20,
            stateful_step_count=20,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
