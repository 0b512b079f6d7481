"""Which messages carry what somebody else wrote: whatever is not known to be the person's own."""

from __future__ import annotations

import pytest

from gaia.messages import (
    CORRECTION,
    REPLY_TO_GAIA,
    REPLY_TO_OWN,
    Attachment,
    AttachmentKind,
    RepliedTo,
)
from gaia.store.inbox import Message
from gaia.store.others import carries

TEXT = "forget the boat"
VOICE = Attachment(AttachmentKind.VOICE, "v", "audio/ogg")
PHOTO = Attachment(AttachmentKind.PHOTO, "p", "image/jpeg")
UNTOLD = RepliedTo("SM1")


@pytest.mark.parametrize(
    "own",
    [
        {},
        {"notes": (CORRECTION,)},
        {"attachments": (VOICE,)},
        {"notes": (f"{REPLY_TO_GAIA})",), "replied_to": UNTOLD},
        {"notes": (f"{REPLY_TO_OWN}: my boat)",), "replied_to": RepliedTo("1", "my boat")},
    ],
)
def test_what_is_known_to_be_their_own_is(own) -> None:
    assert not carries(Message(TEXT, **own))


@pytest.mark.parametrize(
    "anothers",
    [
        {"is_forwarded": True},
        {"notes": ("(forwarded)",)},
        {"notes": ("(in reply to a message of Bob)",), "replied_to": RepliedTo("1", "their boat")},
        {"attachments": (VOICE, PHOTO)},
        # Their own message may have been a forwarded one.
        {"notes": (f"{REPLY_TO_OWN})",), "replied_to": UNTOLD},
        {"replied_to": UNTOLD},
    ],
)
def test_all_else_is_not(anothers) -> None:
    assert carries(Message(TEXT, **anothers))
