from __future__ import annotations

import os
from pathlib import Path

import pytest

from gaia.findings import Finding, Outcome
from gaia.ops.doctor.service import service_check
from gaia.ops.service.installer import Service, Systemd
from gaia.ops.service.unit import Scope, user_unit
from gaia.paths import Home
from gaia.settings.schema import LimitsSettings, Settings

ANSWERS = """\
#!/bin/sh
case "$*" in
*is-system-running) echo running ;;
*show*) cat "$(dirname "$0")/shown" ;;
esac
"""
WELL = "UnitFileState=enabled\nActiveState=active\nResult=success\n"


class Rig:
    """An installed service of a user, which is well."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self.settings = Settings()
        self.shown = folder / "shown"
        self.shown.write_text(WELL)
        self.lingering = folder / "ada"
        self.lingering.touch()
        systemd = Systemd(Scope.USER, lingering=folder)
        self.service = Service(Scope.USER, systemd, folder / "units", user="ada")
        unit = user_unit(self.home, self.settings)
        self.service.install(unit, force=False, starts=True)

    def edit(self, old: str, new: str) -> None:
        text = self.service.path.read_text()
        assert old in text
        self.service.path.write_text(text.replace(old, new))

    async def look(self, settings: Settings | None = None) -> list[Finding]:
        check = service_check(self.home, settings or self.settings, [self.service])
        return list(await check.look())

    async def complaint(self, settings: Settings | None = None) -> Finding:
        (finding,) = await self.look(settings)
        return finding


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    for name, text in (("systemctl", ANSWERS), ("loginctl", "#!/bin/sh\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return Rig(tmp_path)


async def test_a_service_that_is_well(rig: Rig) -> None:
    assert [each.outcome for each in await rig.look()] == [Outcome.OK]


async def test_none_is_fine(rig: Rig) -> None:
    rig.service.uninstall(force=False)
    (finding,) = await rig.look()
    assert finding.outcome is Outcome.OK
    assert "not installed" in finding.detail


async def test_a_program_that_is_gone(rig: Rig) -> None:
    rig.edit("ExecStart=/", "ExecStart=/gone/")
    found = await rig.complaint()
    assert found.outcome is Outcome.FAILED
    assert "which is not there" in found.detail


async def test_another_installation(rig: Rig) -> None:
    rig.edit("ExecStart=", "ExecStart=/bin/sh ")
    assert "starts /bin/sh, and this is" in (await rig.complaint()).detail


async def test_another_home(rig: Rig) -> None:
    rig.edit(f"GAIA_HOME={rig.home.root}", "GAIA_HOME=/srv/other")
    assert "runs gaia in /srv/other" in (await rig.complaint()).detail


async def test_a_drain_that_systemd_would_cut_short(rig: Rig) -> None:
    found = await rig.complaint(Settings(limits=LimitsSettings(drain_seconds=45)))
    assert found.outcome is Outcome.WARNING
    assert "limits.drain_seconds is 45" in found.detail
    assert "leaves gaia 40 s" in found.detail


async def test_a_unit_of_another_version_is_renewed(rig: Rig) -> None:
    longer = Settings(limits=LimitsSettings(drain_seconds=30))
    found = await rig.complaint(longer)
    assert "not what this version" in found.detail
    assert found.mend is not None
    assert "is updated" in await found.mend()
    assert (await rig.complaint(longer)).outcome is Outcome.OK


async def test_an_edited_unit_is_the_owners_choice(rig: Rig) -> None:
    rig.edit("MemoryMax=4G", "MemoryMax=1G")
    assert (await rig.complaint()).outcome is Outcome.OK


async def test_what_systemd_says(rig: Rig) -> None:
    rig.shown.write_text("UnitFileState=disabled\nActiveState=failed\nResult=watchdog\n")
    rig.lingering.unlink()
    details = [each.detail for each in await rig.look()]
    assert details == [
        "gaia's service has failed (watchdog)",
        "gaia's service is not started with the machine",
        "gaia's service ends when you log out",
    ]


async def test_settings_that_cannot_be_read_leave_the_rest(rig: Rig) -> None:
    check = service_check(rig.home, None, [rig.service])
    assert [each.outcome for each in await check.look()] == [Outcome.OK]
