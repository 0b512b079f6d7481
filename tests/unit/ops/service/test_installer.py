from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gaia.errors import ServiceError
from gaia.ops.service.installer import Service, Systemd
from gaia.ops.service.unit import NAME, Scope, Unit, home_of, is_as_written, system_unit
from gaia.paths import Home
from gaia.settings.schema import Settings

if TYPE_CHECKING:
    from conftest import Tools

UNIT = Unit(Scope.USER, ["/opt/gaia/bin/gaia"], 20.0)
LATER = Unit(Scope.USER, ["/opt/gaia/bin/gaia"], 60.0)
LINGER = "loginctl enable-linger ada"


@pytest.fixture
def lingering(tmp_path: Path) -> Path:
    folder = tmp_path / "linger"
    folder.mkdir()
    return folder


@pytest.fixture
def service(tmp_path: Path, tools: Tools, lingering: Path) -> Service:
    systemd = Systemd(Scope.USER, lingering=lingering)
    return Service(Scope.USER, systemd, tmp_path / "units", user="ada")


def test_it_is_written_enabled_and_started(service: Service, tools: Tools) -> None:
    steps = service.install(UNIT, force=False, starts=True)
    assert (steps.is_changed, steps.by_hand) == (True, ())
    assert service.path.read_text() == UNIT.signed_text
    assert service.path.stat().st_mode & 0o777 == 0o644
    assert tools.calls() == [
        "systemctl --user daemon-reload",
        f"systemctl --user enable {NAME}",
        f"systemctl --user restart {NAME}",
        LINGER,
    ]


def test_a_second_time_changes_nothing_and_starts_nothing_again(
    service: Service, tools: Tools, lingering: Path
) -> None:
    service.install(UNIT, force=False, starts=True)
    (lingering / "ada").touch()
    tools.calls()
    assert not service.install(UNIT, force=False, starts=True).is_changed
    assert tools.calls() == [
        "systemctl --user daemon-reload",
        f"systemctl --user enable {NAME}",
        f"systemctl --user start {NAME}",
    ]


def test_it_may_be_left_for_later(service: Service, tools: Tools) -> None:
    service.install(UNIT, force=False, starts=False)
    assert not any("start" in call for call in tools.calls())


def test_a_unit_that_gaia_wrote_is_renewed(service: Service, tools: Tools) -> None:
    service.install(UNIT, force=False, starts=True)
    tools.calls()
    assert service.install(LATER, force=False, starts=True).is_changed
    assert "TimeoutStopSec=80\n" in service.path.read_text()
    assert f"systemctl --user restart {NAME}" in tools.calls()


@pytest.mark.parametrize(
    ("state", "comes"), [("active", True), ("activating", True), ("failed", False), ("", False)]
)
def test_it_is_back_soon_if_systemd_starts_it_for_that_home(
    service: Service, tools: Tools, tmp_path: Path, state: str, comes: bool
) -> None:
    home = Home(tmp_path / "my home")
    assert not service.is_back_soon(home)
    unit = Unit(Scope.USER, ["/opt/gaia/bin/gaia"], 20.0, home=home.root)
    service.install(unit, force=False, starts=True)
    tools.shown(f"ActiveState={state}\n")
    assert service.is_back_soon(home) is comes
    assert not service.is_back_soon(Home(tmp_path / "another"))


def test_a_service_of_another_user_is_not_that_of_the_usual_home(
    tools: Tools, tmp_path: Path
) -> None:
    service = Service(Scope.SYSTEM, Systemd(Scope.SYSTEM), tmp_path / "units", user="ada")
    theirs = home_of("nobody")
    service.install(system_unit(theirs, Settings(), "nobody"), force=False, starts=True)
    tools.shown("ActiveState=active\n")
    assert service.is_back_soon(theirs)
    assert not service.is_back_soon(Home(Path.home() / ".gaia"))


@pytest.mark.parametrize("what", ["edited", "foreign"])
def test_a_unit_that_the_owner_edited_is_left_alone(
    service: Service, tools: Tools, what: str
) -> None:
    service.install(UNIT, force=False, starts=True)
    text = service.path.read_text().replace("MemoryMax=4G", "MemoryMax=1G")
    text = text if what == "edited" else "[Service]\nExecStart=/bin/true\n"
    service.path.write_text(text)
    tools.calls()
    for act in (
        lambda: service.install(LATER, force=False, starts=True),
        lambda: service.uninstall(force=False),
    ):
        with pytest.raises(ServiceError, match=r"--force.*systemctl --user edit"):
            act()
    assert service.path.read_text() == text
    assert tools.calls() == []
    service.install(LATER, force=True, starts=True)
    assert is_as_written(service.path.read_text())


@pytest.mark.parametrize("state", ["offline", ""])
def test_without_systemd_the_rest_is_said(service: Service, tools: Tools, state: str) -> None:
    tools.running(state)
    steps = service.install(UNIT, force=False, starts=True)
    assert service.path.exists()
    assert tools.calls() == []
    assert steps.by_hand == [
        "systemctl --user daemon-reload",
        f"systemctl --user enable {NAME}",
        f"systemctl --user restart {NAME}",
        LINGER,
    ]


def test_lingering_that_is_not_allowed_is_left_to_the_owner(service: Service, tools: Tools) -> None:
    tools.fail_at("enable-linger")
    assert service.install(UNIT, force=False, starts=True).by_hand == [LINGER]


def test_a_start_that_fails_is_told_with_where_to_look(service: Service, tools: Tools) -> None:
    tools.fail_at("restart")
    with pytest.raises(ServiceError, match=r"it is of no use.*journalctl --user --unit gaia"):
        service.install(UNIT, force=False, starts=True)


def test_it_is_stopped_and_removed(service: Service, tools: Tools) -> None:
    service.install(UNIT, force=False, starts=True)
    tools.calls()
    assert service.uninstall(force=False).is_changed
    assert not service.path.exists()
    assert tools.calls() == [
        f"systemctl --user disable --now {NAME}",
        "systemctl --user daemon-reload",
    ]
    assert not service.uninstall(force=False).is_changed
    assert tools.calls() == []


def test_a_folder_that_cannot_be_written_is_named(service: Service) -> None:
    service.path.parent.write_text("a file")
    with pytest.raises(ServiceError, match="units"):
        service.install(UNIT, force=False, starts=True)


def test_the_state_is_what_systemd_tells(service: Service, tools: Tools, lingering: Path) -> None:
    assert not service.state().is_installed
    service.install(UNIT, force=False, starts=True)
    tools.shown(
        "UnitFileState=enabled\nActiveState=active\nResult=success\nMainPID=4711\nNRestarts=2\n"
    )
    (lingering / "ada").touch()
    state = service.state()
    assert state.is_installed
    assert state.is_running
    assert not state.is_edited
    assert (state.enabled, state.pid, state.restarts, state.lingers) == ("enabled", 4711, 2, True)


def test_without_systemd_the_state_is_not_known(service: Service, tools: Tools) -> None:
    tools.running("offline")
    state = service.state()
    assert not state.has_manager
    assert not state.is_running
    assert state.pid is None
