"""Who runs a group, as Telegram tells it."""

from __future__ import annotations

from tests.integration.telegram.conftest import Rig

ADA, BOB, GROUP = 7, 8, -100


async def test_an_admin_is_known_and_a_member_is_none(rig: Rig) -> None:
    ada, bob = rig.telegram.person(ADA, "Ada"), rig.telegram.person(BOB, "Bob")
    group = rig.telegram.group(GROUP, "Family", members=[ada, bob])
    group.promote(ada)
    await rig.until_well()
    ada.writes("/forget@" + rig.telegram.bot_username, to=group)
    (received,) = await rig.until_received(1)
    assert received.author == str(ADA)
    assert await rig.channel.administers(received.chat, str(ADA)) is True
    assert await rig.channel.administers(f"{GROUP}:3", str(ADA)) is True
    assert await rig.channel.administers(received.chat, str(BOB)) is False
    assert await rig.channel.administers(received.chat, str(GROUP)) is True


async def test_what_telegram_does_not_say_is_not_known(rig: Rig) -> None:
    group = rig.telegram.group(GROUP, "Family", members=[rig.telegram.person(ADA)])
    await rig.until_well()
    assert await rig.channel.administers(str(group.chat_id), "99") is None
    assert await rig.channel.administers("no chat", str(ADA)) is None
    assert await rig.channel.administers(str(group.chat_id), "Ada") is None
