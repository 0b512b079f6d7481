"""Twilio's WhatsApp over HTTP, and the people on it, for tests. Strict: what a client asks
and what is answered is compared with the description that Twilio publishes of its API.

    async with running_twilio() as twilio:
        client = Client(twilio.account_sid, twilio.auth_token, http_client=...)
        twilio.calls("https://gaia.example", at="http://127.0.0.1:8642")   # the webhook

        ada = twilio.person("+4915112345678", "Ada")       # what people do: plain calls
        asked = ada.writes("/help")
        ada.replies_to(asked, "no, wait")
        ada.edits(asked, "/start")
        ada.sends_photo(b"...", caption="my cat")          # also: voice, document, contact, ...
        ada.presses("Yes", "/yes")
        ada.blocks()

        await twilio.until_told()                          # no sleeps
        await twilio.until(lambda: len(twilio.messages(ada)) == 2)
        twilio.texts(ada)                                  # what reached Ada, in order
        twilio.messages(ada)[0].media                      # also: parameters, acknowledged
        twilio.accepted(ada)[-1].failure                   # taken, and why it did not arrive
        twilio.typing(ada)                                 # how often
        twilio.redeliver()                                 # messages come again
        twilio.calls_made[-1].status                       # what gaia answered

        twilio.callbacks = late(30)                        # see `callbacks` for all plans
        twilio.faults = lambda request: (                  # see `faults` for all kinds
            TooManyRequests(3) if request.operation == CREATE_MESSAGE else None
        )
        assert twilio.violations == ()                     # of the description, by gaia

Time is the clock's: 24 hours after the last words of a person free text fails with 63016.
`await twilio.until(...)` and the end of the block raise what the server did wrong itself.
By hand: `python -m tests.servers.twilio --help`.
"""

from tests.servers.twilio.callbacks import (
    Callbacks,
    Course,
    Step,
    at_once,
    backwards,
    early,
    failing,
    late,
    never,
    read,
    repeated,
)
from tests.servers.twilio.calls import CallMade, signature
from tests.servers.twilio.description import NotTwilioError
from tests.servers.twilio.faults import (
    CREATE_MESSAGE,
    CREATE_TYPING,
    DOWNLOAD_MEDIA,
    FETCH_ACCOUNT,
    FETCH_MESSAGE,
    LIST_MEDIA,
    LIST_MESSAGES,
    BadGateway,
    CutAfterRead,
    Fault,
    Faults,
    Hang,
    MalformedJson,
    Refused,
    RequestSeen,
    ServerError,
    Slow,
    TooManyRequests,
)
from tests.servers.twilio.messages import Message, StoredMedia
from tests.servers.twilio.people import Person
from tests.servers.twilio.server import (
    ACCOUNT_SID,
    AUTH_TOKEN,
    NUMBER,
    TwilioServer,
    running_twilio,
)

__all__ = [
    "ACCOUNT_SID",
    "AUTH_TOKEN",
    "CREATE_MESSAGE",
    "CREATE_TYPING",
    "DOWNLOAD_MEDIA",
    "FETCH_ACCOUNT",
    "FETCH_MESSAGE",
    "LIST_MEDIA",
    "LIST_MESSAGES",
    "NUMBER",
    "BadGateway",
    "CallMade",
    "Callbacks",
    "Course",
    "CutAfterRead",
    "Fault",
    "Faults",
    "Hang",
    "MalformedJson",
    "Message",
    "NotTwilioError",
    "Person",
    "Refused",
    "RequestSeen",
    "ServerError",
    "Slow",
    "Step",
    "StoredMedia",
    "TooManyRequests",
    "TwilioServer",
    "at_once",
    "backwards",
    "early",
    "failing",
    "late",
    "never",
    "read",
    "repeated",
    "running_twilio",
    "signature",
]
