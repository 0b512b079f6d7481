"""`gaia memory`: what gaia remembers of a user. Works whether or not it runs.

It is read for the help of all commands, so it imports nothing heavy.
"""

from __future__ import annotations

import typer

from gaia.cli.memory import (
    change,
    discover,
    file,
    folder,
    forget,
    people,
    search,
    view,
)

app = typer.Typer(no_args_is_help=True, help="What gaia remembers: long-term memory.")
app.command("list")(view.list_memories)
app.command("search")(search.search)
app.command("why")(view.why)
app.command("people")(people.people)
app.command("add")(change.add)
app.command("keep")(change.keep)
app.command("pin")(change.pin)
app.command("unpin")(change.unpin)
app.command("forget")(forget.forget)
app.command("export")(file.export)
app.command("import")(file.import_file)
app.command("watch")(folder.watch)
app.command("discover")(discover.discover)
app.command("reindex")(search.reindex)
app.command("stats")(view.stats)
app.command("upkeep")(view.upkeep)
app.command("page")(file.page)
