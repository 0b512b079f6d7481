"""Does what the owner wants: files first, then what takes longer, and the code last."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gaia.cli.control import is_served
from gaia.cli.setup import service_step
from gaia.cli.setup.owner_step import login_name
from gaia.cli.setup.questions import Wishes
from gaia.errors import GaiaError, ModelFileError
from gaia.ops.setup.answers import plan
from gaia.ops.setup.owner import make_owner, new_code, read_owners
from gaia.ops.setup.place import make_private_home
from gaia.ops.setup.present import Present, lacks_weights
from gaia.ops.setup.writing import write
from gaia.ports import Clock
from gaia.settings.providers import ResolvedModel
from gaia.store.opening import open_database
from gaia.weights.catalogue import find_model


@dataclass(frozen=True, slots=True)
class Done:
    """What there is now. `code` is the owner's alone to see."""

    home: Path
    written: Sequence[Path]
    model: ResolvedModel | None
    lacks_weights: bool
    channels: Sequence[str]
    bot_name: str
    whatsapp_number: str
    public_url: str
    owners: Sequence[str]
    code: str = field(default="", repr=False)
    service: str = ""
    is_running: bool = False
    notes: Sequence[str] = ()


def carry_out(present: Present, wishes: Wishes, clock: Clock) -> Done:
    """Do all of it. What can be made up for later is noted when it fails.

    Raises:
        GaiaError: The home or its files cannot be written. Files that were there are
            whole: as they were, or as they should be.
    """
    home, notes = present.home, list(wishes.notes)
    make_private_home(home)
    written = write(home, plan(wishes.answers, present.loaded))
    if wishes.pulls and wishes.model is not None:
        _pull(present, wishes.model, notes)
    owners, code = asyncio.run(_own(present, wishes, clock))
    is_running, service = is_served(home), ""
    if wishes.installs_service:
        try:
            service = service_step.install(home, starts=not is_running).told
        except GaiaError as exc:
            notes.append(str(exc))
    answer, settings = wishes.answers.whatsapp, present.loaded.settings.channels.whatsapp
    return Done(
        home=home.root,
        written=written,
        model=wishes.model,
        lacks_weights=wishes.model is not None and lacks_weights(home, wishes.model),
        channels=wishes.channels,
        bot_name=wishes.bot.name,
        whatsapp_number=(answer and answer.number) or settings.number,
        public_url=(answer and answer.public_url) or settings.public_url,
        owners=owners,
        code=code,
        service=service,
        is_running=is_running,
        notes=notes,
    )


def _pull(present: Present, model: ResolvedModel, notes: list[str]) -> None:
    from gaia.cli.pull_progress import pull_progress
    from gaia.weights.pull import pull

    try:
        with pull_progress(model.name) as progress:
            pull(find_model(model.name), present.home.models, progress)
    except ModelFileError as exc:
        notes.append(str(exc))
    except KeyboardInterrupt:
        notes.append("the model is not here yet: 'gaia model pull' goes on where it ended")


async def _own(present: Present, wishes: Wishes, clock: Clock) -> tuple[Sequence[str], str]:
    """Make owner and code, as far as they are wanted; the owners' names, and the code."""
    wanted = wishes.ownership
    if not wanted.name and not wanted.makes_code:
        return present.owners.names, ""
    database = await open_database(present.home)
    try:
        if wanted.name:
            await make_owner(database, wanted.name, login_name(), clock)
        owners = await read_owners(database, clock)
        code = ""
        if wanted.makes_code and owners.owner is not None:
            code = await new_code(database, owners.owner.user, clock)
        return owners.names, code
    finally:
        await database.close()


def needs_to_be_told(home: Path) -> bool:
    """Whether commands find this home only if they are told where it is."""
    named = os.environ.get("GAIA_HOME", "").strip()
    usual = Path(named).expanduser().absolute() if named else Path.home() / ".gaia"
    return home != usual
