"""`gaia users`: who may talk to gaia, and from where. Works whether or not it runs.

This module is read by every command, so it imports nothing heavy.
"""

from __future__ import annotations

import typer

from gaia.cli.users import editing, letting_in

app = typer.Typer(no_args_is_help=True, help="Who may talk to gaia, and from where.")
app.command("list")(editing.list_users)
app.command("pending")(letting_in.pending)
app.command("approve")(letting_in.approve)
app.command("pair")(letting_in.pair)
app.command("add")(editing.add)
app.command("link")(editing.link)
app.command("unlink")(editing.unlink)
app.command("role")(editing.set_role)
app.command("remove")(editing.remove)
