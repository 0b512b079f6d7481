"""`gaia memory page`: what gaia remembers of a user, in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from gaia.cli.console import AsJson, echo_json, say
from gaia.cli.home import ask
from gaia.cli.memory.view import OfUser

LINK_SECONDS = 20.0


def page(
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open it, or only print the link.")
    ] = True,
    user: OfUser = None,
    as_json: AsJson = False,
) -> None:
    """Open the page of what gaia remembers; gaia has to run. The link works once."""
    from gaia.cli import control
    from gaia.ops.queries.people import OWNER, Whose
    from gaia.ops.wire import PAGE_PATH, PageLink, PageRequest
    from gaia.paths import find_home

    owner = ask(OWNER, Whose(user=user))
    body = PageRequest(user_id=owner.user_id).model_dump_json()
    link = control.ask(find_home(), PAGE_PATH, body, LINK_SECONDS, PageLink)
    if as_json:
        echo_json({"user": owner.name, "url": link.url, "seconds": link.seconds})
        return
    minutes = f"{link.seconds / 60:.0f} minutes"
    if browser and _open(link.url):
        say(f"The memory of {owner.name} opens in your browser. If it does not:")
    else:
        say(f"Open this in a browser to see the memory of {owner.name}:")
    typer.echo(f"  {link.url}\nThe link works once, for {minutes}.")


def _open(url: str) -> bool:
    """Whether there is a browser with a window to open it in: one in the terminal would hide
    what is printed, and run no script."""
    import os
    import sys
    import webbrowser

    has_window = sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    try:
        return has_window and webbrowser.open(url)
    except webbrowser.Error:
        return False
