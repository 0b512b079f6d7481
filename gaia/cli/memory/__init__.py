"""`gaia memory`: what gaia remembers of a user. Works whether or not it runs.

This package is read by every command, so it imports nothing heavy.
"""

from __future__ import annotations

import typer

from gaia.cli.memory import (
    adding,
    exporting,
    forgetting,
    importing,
    keeping,
    listing,
    reindexing,
    searching,
    stats,
)

app = typer.Typer(no_args_is_help=True, help="What gaia remembers: long-term memory.")
app.command("list")(listing.list_memories)
app.command("search")(searching.search)
app.command("why")(listing.why)
app.command("add")(adding.add)
app.command("keep")(keeping.keep)
app.command("forget")(forgetting.forget)
app.command("export")(exporting.export)
app.command("import")(importing.import_file)
app.command("reindex")(reindexing.reindex)
app.command("stats")(stats.stats)
