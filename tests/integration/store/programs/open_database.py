"""Opens gaia.db in HOME and prints the number of its users.

usage: open_database.py HOME
"""

import asyncio
import sys
from pathlib import Path

from gaia.clock import SystemClock
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Users


async def main(home: str) -> None:
    database = await open_database(Home(Path(home)))
    sys.stdout.write(f"{len(await Users(database, SystemClock()).list())}\n")
    await database.close()


asyncio.run(main(*sys.argv[1:]))
