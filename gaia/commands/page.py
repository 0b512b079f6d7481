"""/page: a link to the page on which a person sees and changes what gaia remembers of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy.orm import Session

from gaia.commands.registry import Call, Command, Topic

NO_PAGE = (
    "There is no page for this chat. On the machine where I run, `gaia memory page` opens it; "
    "with web.public_url set, this command sends a link."
)


def page_command(link: Callable[[Session, str, datetime], str | None]) -> Command:
    """The command; `link` adds a link of the user's, None where no public address leads to the
    page."""

    def page(call: Call) -> str:
        url = link(call.session, call.caller.user.user_id, call.now)
        if url is None:
            return NO_PAGE
        return f"Your memory: {url}\nThe link works once, for five minutes: pass it on to nobody."

    return Command.at_once(
        "page", "See my memory of you in a browser", page, private=True, topic=Topic.MEMORY
    )
