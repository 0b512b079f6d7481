"""Links COUNT addresses to the user NAME in HOME, one transaction each, and prints each.

usage: add_addresses.py HOME NAME PREFIX COUNT
"""

import asyncio
import sys
from pathlib import Path

from gaia.clock import SystemClock
from gaia.messages import Address
from gaia.paths import Home
from gaia.store.opener import open_database
from gaia.store.people.users import Users


async def main(home: str, name: str, prefix: str, count: str) -> None:
    database = await open_database(Home(Path(home)))
    users = Users(database, SystemClock())
    user = await users.find(name)
    for n in range(int(count)):
        await users.link(user, Address("telegram", f"{prefix}{n}"))
        sys.stdout.write(f"{prefix}{n}\n")
        sys.stdout.flush()
    await database.close()


asyncio.run(main(*sys.argv[1:]))
