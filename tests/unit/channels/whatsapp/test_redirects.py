from __future__ import annotations

import httpx
import pytest

from channels.whatsapp.files import redirected
from gaia.errors import AttachmentError

TWILIO = httpx.URL("https://api.twilio.com/2010-04-01/x")


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://mms.twiliocdn.com/x?sig=1", "https://mms.twiliocdn.com/x?sig=1"),
        ("/elsewhere", "https://api.twilio.com/elsewhere"),
        ("//mms.twiliocdn.com/x", "https://mms.twiliocdn.com/x"),
    ],
)
def test_a_redirect_leads_somewhere(location: str, target: str) -> None:
    assert redirected(TWILIO, location) == target


@pytest.mark.parametrize(
    "location", ["http://mms.twiliocdn.com/x", "file:///etc/passwd", "ftp://x"]
)
def test_a_redirect_never_leaves_https(location: str) -> None:
    with pytest.raises(AttachmentError, match="not https"):
        redirected(TWILIO, location)


def test_what_stands_in_for_twilio_may_do_without_tls() -> None:
    assert redirected(httpx.URL("http://127.0.0.1:1/x"), "http://localhost:1/y").host == "localhost"
