"""Pairings: what waits, what has expired, and what is swept."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gaia.core import pairing
from gaia.messages import Address, Inbound
from gaia.store import audit
from gaia.store.engine import Database
from gaia.store.people import pairings
from gaia.store.people.pairing_tables import PairingPurpose
from gaia.store.people.pairings import (
    ALPHABET,
    SALT_BYTES,
    VALID_FOR,
    Code,
    Pairing,
    Terms,
    matching,
    new_code,
    possible,
    read_code,
)
from gaia.store.people.users import Role, Users
from gaia.testing.clock import START, FakeClock

REQUEST = Terms(PairingPurpose.REQUEST, Address("telegram", "7"), "7", direct=True, name="Eve")
INVITE = Terms(PairingPurpose.INVITE, name="Grace")
LATER = START + VALID_FOR
JUST_BEFORE = LATER - timedelta(seconds=1)


@pytest.fixture
async def code() -> Code:
    return pairings.new_code()


async def test_what_has_expired_waits_no_longer(database: Database, code: Code) -> None:
    with database.writing() as session:
        number = pairings.add(session, REQUEST, code, START)
        pairings.add(session, INVITE, code, START)
        for now, waiting in ((JUST_BEFORE, 1), (LATER, 0)):
            assert len(pairings.requests(session, now)) == waiting
            assert len(pairings.to_send_back(session, now)) == waiting
            assert pairings.count_requests(session, "telegram", now) == waiting
        assert not pairings.claim(session, number, LATER)
        assert pairings.claim(session, number, JUST_BEFORE)


async def test_a_code_comes_back_with_its_terms(database: Database, code: Code) -> None:
    with database.writing() as session:
        for terms in (REQUEST, INVITE):
            pairings.add(session, terms, code, START)
        (request,) = pairings.requests(session, START)
        (invite,) = pairings.to_send_back(session, START)
    assert (request.terms, invite.terms) == (REQUEST, INVITE)
    assert code.code_hash.hex() not in repr(request)
    assert pairings.matching(code.shown.replace("-", ""), [request]) == request
    assert pairings.matching("ABCDEFG2", [request, invite]) is None


async def test_who_is_in_and_was_not_greeted_is_never_swept(database: Database, code: Code) -> None:
    with database.writing() as session:
        number = pairings.add(session, REQUEST, code, START)
        pairings.claim(session, number, START)
        pairings.sweep(session, LATER)
        assert [each.pairing_id for each in pairings.to_greet(session)] == [number]
        pairings.mark_greeted(session, number, LATER)
        pairings.sweep(session, LATER)
        assert pairings.to_greet(session) == []
        assert pairings.add(session, REQUEST, code, START) == number + 1, "never reused"


async def test_requests_are_counted_by_channel(database: Database, code: Code) -> None:
    with database.writing() as session:
        pairings.add(session, REQUEST, code, START)
        assert pairings.count_requests(session, "whatsapp", START) == 0
        pairings.withdraw_request(session, Address("whatsapp", "7"))
        assert pairings.count_requests(session, "telegram", START) == 1
        pairings.withdraw_request(session, Address("telegram", "7"))
        assert pairings.count_requests(session, "telegram", START) == 0


async def test_a_code_is_read_however_it_is_written() -> None:
    code = new_code()
    plain = code.shown.replace("-", "")
    for text in (
        code.shown,
        code.shown.lower(),
        plain,
        f"  {plain[:4]} {plain[4:].lower()}\n",
        f"{plain[:4]} - {plain[4:]}",
        code.shown.replace("-", "\u2013"),
    ):
        assert read_code(text) == plain


async def test_a_code_is_known_by_its_hash_alone() -> None:
    code, other = new_code(), new_code()
    plain = code.shown.replace("-", "")
    assert pairings._is_of(plain, code.salt, code.code_hash)
    assert not pairings._is_of(plain, code.salt, other.code_hash)
    assert not pairings._is_of(plain, other.salt, code.code_hash)
    assert code.salt != other.salt
    assert plain not in repr(code)
    assert code.shown not in repr(code)


def test_a_wrong_code_is_nearly_always_told_by_a_quick_look() -> None:
    codes = [new_code() for _ in range(3)]
    kept = [
        Pairing(number, Terms(PairingPurpose.INVITE), START, START, None, code.salt, code.code_hash)
        for number, code in enumerate(codes)
    ]
    for number, code in enumerate(codes):
        plain = code.shown.replace("-", "")
        assert kept[number] in possible(plain, kept)
        assert matching(plain, kept) is kept[number]
    wrong = [pairings._random() for _ in range(3000)]
    assert sum(len(possible(code, kept)) for code in wrong) < 200
    old = replace(kept[0], salt=b"x" * SALT_BYTES)
    assert possible(wrong[0], [old]) == [old], "codes of an earlier version are compared"


def test_no_character_is_taken_for_another() -> None:
    assert len(set(ALPHABET)) == len(ALPHABET) == 31
    assert not set("01OIL") & set(ALPHABET)


@pytest.mark.parametrize(
    "text",
    ["Thursday", "23456789", "ABCD-EFG2 now", "ABC-DEFG2", "ABCD-EFG0", "ABCD-EFG", "", "/start"],
)
def test_words_numbers_and_the_rest_are_no_codes(text: str) -> None:
    assert read_code(text) is None


async def test_every_new_code_can_be_read_back() -> None:
    for _ in range(50):
        assert read_code((new_code()).shown) is not None


NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
PHONE = Address("telegram", "7")


async def test_a_user_whose_role_changed_meanwhile_is_still_the_same_one(
    database: Database,
) -> None:
    users = Users(database, FakeClock())
    as_it_was = await users.create("Grace", Role.MEMBER)
    request = Inbound(PHONE, "7", "7:1", "let me in", NOW, sender_name="Grace")
    code = new_code()
    with database.writing() as session:
        pairing.request(session, code, request, NOW)
        (wanted,) = pairings.requests(session, NOW)
    await users.link(as_it_was, PHONE)
    await users.set_role(as_it_was, Role.OWNER)
    let_in = await database.write(pairing.approve, wanted, as_user=as_it_was, by=audit.CLI, now=NOW)
    assert let_in.user_id == as_it_was.user_id
    assert await users.addresses(as_it_was) == (PHONE,)
