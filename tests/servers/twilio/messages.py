"""Messages as Twilio keeps them, of people and of gaia."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime

from tests.servers.twilio.refusals import Json

PREFIX = "whatsapp:"
API = "/2010-04-01"


@dataclass(frozen=True, slots=True)
class StoredMedia:
    """A file that goes with a message."""

    sid: str
    content: bytes
    media_type: str
    file_name: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message between a person and gaia.

    `parameters` are the form of the webhook, or of the request that sent it. Of one that
    gaia sent: `failure` is Twilio's code for why it does not reach the person, `arrival`
    its rank among those that did; `acknowledged` says that the client was answered that
    it was taken, by an answer that left this server while the client listened.
    """

    sid: str
    person: str
    is_inbound: bool
    body: str
    at: datetime
    status: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    media: tuple[StoredMedia, ...] = ()
    media_urls: tuple[str, ...] = ()
    failure: int | None = None
    error_code: int | None = None
    arrival: int | None = None
    acknowledged: bool = False

    @property
    def status_callback(self) -> str:
        """Where the client wants to be told what becomes of it."""
        return self.parameters.get("StatusCallback", "")

    @property
    def is_template(self) -> bool:
        return "ContentSid" in self.parameters

    def json(self, account_sid: str, number: str) -> Json:
        """The resource."""
        mine, theirs = PREFIX + number, PREFIX + self.person
        at = rfc2822(self.at)
        uri = f"{API}/Accounts/{account_sid}/Messages/{self.sid}"
        return {
            "account_sid": account_sid,
            "api_version": "2010-04-01",
            "body": self.body,
            "date_created": at,
            "date_sent": None if self.status == "queued" else at,
            "date_updated": at,
            "direction": "inbound" if self.is_inbound else "outbound-api",
            "error_code": self.error_code,
            "error_message": None,
            "from": theirs if self.is_inbound else mine,
            "messaging_service_sid": None,
            "num_media": str(len(self.media) or len(self.media_urls)),
            "num_segments": "1",
            "price": None,
            "price_unit": None,
            "sid": self.sid,
            "status": self.status,
            "subresource_uris": {"media": f"{uri}/Media.json"},
            "to": mine if self.is_inbound else theirs,
            "uri": f"{uri}.json",
        }


def rfc2822(at: datetime) -> str:
    """A time as Twilio writes it: in whole seconds."""
    return format_datetime(at)
