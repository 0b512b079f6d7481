"""Users and identities under any sequence of changes, against a model in plain dicts."""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

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
from sqlalchemy.orm import Session

from gaia.core import pairing
from gaia.errors import (
    AddressTakenError,
    LastOwnerError,
    UnknownAddressError,
    UnknownUserError,
    UserNameTakenError,
)
from gaia.messages import Address, Inbound
from gaia.paths import Home
from gaia.store import audit
from gaia.store.ownership import join_users
from gaia.store.people import identities, pairings
from gaia.store.people.pairings import Pairing, new_code
from gaia.store.people.users import Role, User, Users
from gaia.testing.clock import START, FakeClock
from tests.harness.databases import opened
from tests.harness.effort import rounds

T = TypeVar("T")

NAMES = st.sampled_from(["Ada", "ada", "ADA", "Bob", "Grace", "grace"])
ROLES = st.sampled_from(Role)
ALL_ADDRESSES = (Address("terminal", "1"), Address("telegram", "1"), Address("telegram", "ada"))
ADDRESSES = st.sampled_from(ALL_ADDRESSES)


def inbound(address: Address, name: str) -> Inbound:
    return Inbound(address, address.sender, "m", "hello", START, sender_name=name)


class UsersMachine(RuleBasedStateMachine):
    """Every rule changes gaia.db and the model alike; the invariants compare them."""

    users_ever = Bundle("users_ever")
    codes_ever = Bundle("codes_ever")
    new_home: Callable[[Path], Home]

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.runner = asyncio.Runner()
        self.database = opened(self.new_home(self.folder / "home"))
        self.users = Users(self.database, FakeClock())
        self.living: dict[str, tuple[str, Role]] = {}
        self.owner_of: dict[Address, str] = {}
        self.ids_ever: set[str] = set()
        self.becomes: dict[str, str | Role] = {}
        """What each open code makes of its sender: a user, or a new one with that role."""
        self.waiting: dict[Address, Pairing] = {}

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
            self.waiting = {
                address: wanted
                for address, wanted in self.waiting.items()
                if self.owner_of.get(address) != user.user_id
            }
            self.owner_of = {
                address: owner for address, owner in self.owner_of.items() if owner in self.living
            }
            self._void_codes_of(user)

    @rule(target=codes_ever, user=users_ever)
    def offer_link(self, user: User) -> object:
        if user.user_id not in self.living:
            return multiple()
        self._void_codes_of(user)
        return self._new_code(user.user_id, partial(pairing.offer_link, user=user))

    @rule(target=codes_ever, role=st.sampled_from([Role.MEMBER, Role.GUEST]))
    def invite(self, role: Role) -> object:
        return self._new_code(role, partial(pairing.invite, role=role, by=audit.CLI))

    @rule(code=codes_ever, address=ADDRESSES, name=NAMES)
    def send_code(self, code: str, address: Address, name: str) -> None:
        if address in self.owner_of:
            return
        expected = self.becomes.pop(code, None)
        user = self._write(partial(self._pair, code=code, sender=inbound(address, name)))
        if expected is None:
            assert user is None, "a code was good twice"
            return
        assert user is not None
        if isinstance(expected, Role):
            assert user.role is expected
            self._take_in_new(user, name)
        else:
            assert user.user_id == expected
        self.owner_of[address] = user.user_id
        self.waiting.pop(address, None)

    @rule(address=ADDRESSES, name=NAMES)
    def ask_to_be_let_in(self, address: Address, name: str) -> None:
        if address not in self.owner_of:
            self._new_code(None, partial(pairing.request, inbound=inbound(address, name)))
            (self.waiting[address],) = [
                each for each in self._write(pairings.requests) if each.terms.address == address
            ]

    @rule(address=ADDRESSES, user=st.none() | users_ever)
    def approve(self, address: Address, user: User | None) -> None:
        wanted = self.waiting.get(address)
        if wanted is None:
            return
        act = partial(pairing.approve, wanted=wanted, as_user=user, by=audit.CLI)
        holder = self.owner_of.get(address)
        if holder is not None and (user is None or holder != user.user_id):
            with pytest.raises(AddressTakenError):
                self._write(act)
        elif user is not None and user.user_id not in self.living:
            with pytest.raises(UnknownUserError):
                self._write(act)
        else:
            let_in = self._write(act)
            if user is None:
                self._take_in_new(let_in, str(wanted.terms.name))
            else:
                assert let_in.user_id == user.user_id
            self.owner_of[address] = let_in.user_id
            del self.waiting[address]

    @rule(gone=users_ever, into=users_ever)
    def join(self, gone: User, into: User) -> None:
        if gone.user_id == into.user_id:
            return
        act = partial(join_users, gone=gone, into=into)
        if not {gone.user_id, into.user_id} <= self.living.keys():
            with pytest.raises(UnknownUserError):
                self._write(act)
            return
        name, role = self.living[into.user_id]
        if self._is_last_owner(gone):
            role = Role.OWNER
        assert self._write(act).role is role
        self.living[into.user_id] = (name, role)
        del self.living[gone.user_id]
        for moved in (self.owner_of, self.becomes):
            for key in [key for key, owner in moved.items() if owner == gone.user_id]:
                moved[key] = into.user_id

    @invariant()
    def the_living_and_their_addresses_are_those_of_the_model(self) -> None:
        self.runner.run(self._compare())

    async def _compare(self) -> None:
        with self.database.reading() as session:
            listed = identities.everybody(session)
            held = [
                (address, user.user_id)
                for user in listed
                for address in identities.addresses(session, user.user_id)
            ]
            resolved = {
                address: user.user_id
                for address in ALL_ADDRESSES
                if (user := identities.resolve(session, address))
            }
        assert {user.user_id: (user.name, user.role) for user in listed} == self.living
        assert len(held) == len(dict(held)), "an address belongs to two users"
        assert dict(held) == resolved == self.owner_of

    def _take_in_new(self, user: User, wanted: str) -> None:
        assert user.user_id not in self.ids_ever, "an id was given twice"
        assert user.name.casefold() not in {name.casefold() for name, _ in self.living.values()}
        assert user.name.startswith(wanted)
        self.ids_ever.add(user.user_id)
        self.living[user.user_id] = (user.name, user.role)

    def _new_code(self, becomes: str | Role | None, make: Callable[..., Awaitable[object]]) -> str:
        code = new_code()
        self._write(partial(make, code=code))
        plain = code.shown.replace("-", "")
        if becomes is not None:
            self.becomes[plain] = becomes
        return plain

    def _void_codes_of(self, user: User) -> None:
        self.becomes = {c: who for c, who in self.becomes.items() if who != user.user_id}

    def _pair(self, session: Session, now: datetime, *, code: str, sender: Inbound) -> User | None:
        found = pairings.matching(code, pairings.to_send_back(session, now))
        return None if found is None else pairing.pair(session, found, sender, now)

    def _write(self, act: Callable[..., Awaitable[T]]) -> T:
        """What `act` makes of a transaction and the time."""

        async def run() -> T:
            return await self.database.write(act, now=START)

        return self.runner.run(run())

    def _is_last_owner(self, user: User) -> bool:
        owners = [user_id for user_id, (_, role) in self.living.items() if role is Role.OWNER]
        return owners == [user.user_id]


def test_no_sequence_of_changes_mixes_two_people_up(new_home: Callable[[Path], Home]) -> None:
    UsersMachine.new_home = staticmethod(new_home)
    run_state_machine_as_test(
        UsersMachine,
        settings=settings(
            max_examples=rounds(4, thorough=15),
            stateful_step_count=30,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
