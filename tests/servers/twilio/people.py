"""People on WhatsApp, who do what a test tells them to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.servers.twilio.inbound import Incoming
from tests.servers.twilio.messages import API, PREFIX, Message, StoredMedia
from tests.servers.twilio.world import Contact, World

PNG = b"\x89PNG\r\n\x1a\n"
VCARD = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:{name}\r\nTEL:{number}\r\nEND:VCARD\r\n"


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    """Somebody with WhatsApp: `address` is their number, or the opaque id of somebody who
    shows none.

    Each verb sends a message on its way to the webhook, and returns it.
    """

    world: World
    incoming: Incoming
    address: str

    @property
    def contact(self) -> Contact:
        """How things stand with them."""
        return self.world.contacts[self.address]

    def writes(self, text: str) -> Message:
        return self._says(text)

    def replies_to(self, message: Message, text: str) -> Message:
        """Answer a message where it stands, of gaia's or of their own."""
        return self._says(text, more=self._original(message))

    def edits(self, message: Message, text: str) -> Message:
        """Change what they wrote. Twilio documents no parameters for that: these are
        plausible ones."""
        return self._says(text, more={"EditedMessageSid": message.sid})

    def reacts(self, emoji: str, message: Message) -> Message:
        """Put an emoji on a message. It is in no list."""
        return self._says(emoji, "reaction", more=self._original(message), is_listed=False)

    def forwards(self, text: str, *, often: bool = False) -> Message:
        """Forward a text of somebody else."""
        marks = {"Forwarded": "true", "FrequentlyForwarded": str(often).lower()}
        return self._says(text, more=marks)

    def presses(self, text: str, payload: str = "", on: Message | None = None) -> Message:
        """Press a button of that label below a template."""
        original = {} if on is None else self._original(on)
        pressed = {"ButtonText": text, "ButtonPayload": payload or text}
        return self._says(text, "button", more={**pressed, **original})

    def picks(self, title: str, list_id: str = "", description: str = "") -> Message:
        """Choose a line of a list."""
        chosen = {"ListId": list_id or title, "ListTitle": title}
        if description:
            chosen["ListDescription"] = description
        return self._says(title, "interactive", more=chosen)

    def sends_photo(self, data: bytes = PNG, caption: str = "") -> Message:
        return self._says(caption, "image", files=(self._file(data, "image/png"),))

    def sends_sticker(self, data: bytes = b"RIFF") -> Message:
        return self._says("", "sticker", files=(self._file(data, "image/webp"),))

    def sends_voice(self, data: bytes = b"OggS") -> Message:
        return self._says("", "audio", files=(self._file(data, "audio/ogg"),))

    def sends_video(self, data: bytes = b"mp4", caption: str = "") -> Message:
        return self._says(caption, "video", files=(self._file(data, "video/mp4"),))

    def sends_document(
        self,
        data: bytes,
        file_name: str = "notes.txt",
        media_type: str = "text/plain",
        caption: str = "",
    ) -> Message:
        """Send a document. One without a caption comes with its name in the place of words."""
        file = self._file(data, media_type, file_name)
        return self._says(caption or file_name, "document", files=(file,))

    def sends_contact(self, name: str, number: str = "+4930123456") -> Message:
        card = VCARD.format(name=name, number=number).encode()
        return self._says("", "contacts", files=(self._file(card, "text/vcard"),))

    def sends_location(
        self, latitude: float, longitude: float, label: str = "", address: str = ""
    ) -> Message:
        where = {"Latitude": str(latitude), "Longitude": str(longitude)}
        named = {k: v for k, v in (("Label", label), ("Address", address)) if v}
        return self._says("", "location", more={**where, **named})

    def sends(self, **parameters: str) -> Message:
        """Send whatever the parameters of the webhook say."""
        return self._says(parameters.get("Body", ""), more=parameters)

    def joins(self, code: str = "tiny-cat") -> None:
        """Join the sandbox. Twilio takes that for itself: the webhook is told nothing."""
        self.contact.joined_at = self.contact.written_at = self.world.now()
        self.world.changes.tell()

    def stops(self) -> Message:
        """Want no more messages."""
        self.contact.is_stopped = True
        return self._says("STOP", more={"OptOutType": "STOP"})

    def starts(self) -> Message:
        """Want messages again."""
        self.contact.is_stopped = False
        return self._says("START", more={"OptOutType": "START"})

    def blocks(self) -> None:
        """Block gaia. Twilio is not told: messages are taken, and never arrive."""
        self.contact.is_blocking = True

    def unblocks(self) -> None:
        """Let gaia write again."""
        self.contact.is_blocking = False

    def _file(self, content: bytes, media_type: str, file_name: str = "") -> StoredMedia:
        return StoredMedia(self.world.new_sid("ME"), content, media_type, file_name)

    def _original(self, message: Message) -> dict[str, str]:
        author = message.person if message.is_inbound else self.world.number
        return {
            "OriginalRepliedMessageSid": message.sid,
            "OriginalRepliedMessageSender": PREFIX + author,
        }

    def _says(
        self,
        text: str,
        kind: str = "text",
        *,
        more: Mapping[str, str] | None = None,
        files: tuple[StoredMedia, ...] = (),
        is_listed: bool = True,
    ) -> Message:
        sid = self.world.new_sid("MM" if files else "SM")
        form = {**self._form(sid, text, kind, files), **(more or {})}
        message = Message(
            sid=sid,
            person=self.address,
            is_inbound=True,
            body=text,
            at=self.world.now(),
            status="received",
            parameters=form,
            media=files,
        )
        self.contact.written_at = self.world.now()
        if is_listed:
            self.world.put(message)
        return self.incoming.deliver(message)

    def _form(
        self, sid: str, text: str, kind: str, files: tuple[StoredMedia, ...]
    ) -> Mapping[str, str]:
        context = {"ProfileName": self.contact.name, "WaId": self._wa_id}
        form = {
            "SmsMessageSid": sid,
            "NumMedia": str(len(files)),
            "ProfileName": self.contact.name,
            "MessageType": kind,
            "SmsSid": sid,
            "WaId": self._wa_id,
            "SmsStatus": "received",
            "Body": text,
            "To": PREFIX + self.world.number,
            "NumSegments": "1",
            "ReferralNumMedia": "0",
            "MessageSid": sid,
            "AccountSid": self.world.account_sid,
            "ChannelMetadata": json.dumps({"type": "whatsapp", "data": {"context": context}}),
            "From": PREFIX + self.address,
            "ExternalUserId": PREFIX + self._external_id,
            "ApiVersion": "2010-04-01",
        }
        folder = f"https://api.twilio.com{API}/Accounts/{self.world.account_sid}/Messages/{sid}"
        for index, file in enumerate(files):
            form[f"MediaContentType{index}"] = file.media_type
            form[f"MediaUrl{index}"] = f"{folder}/Media/{file.sid}"
        return form

    @property
    def _wa_id(self) -> str:
        return self.address.removeprefix("+") if self.address.startswith("+") else ""

    @property
    def _external_id(self) -> str:
        """Their id for this business: opaque, and always the same."""
        if not self.address.startswith("+"):
            return self.address
        return "ID." + str(int(hashlib.sha256(self.address.encode()).hexdigest(), 16))[:16]
