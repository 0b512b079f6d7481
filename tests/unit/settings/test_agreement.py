"""What processes tell each other of their settings: all agree in the end, whoever changes what."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from gaia.paths import Home
from gaia.settings.agreement import (
    Exchange,
    Position,
    ToldValue,
    exchange,
    keep_position,
    read_position,
    shared_values,
)
from gaia.settings.changes import OF_THE_MACHINE, is_shared
from gaia.settings.keys import all_keys
from gaia.settings.load import load_settings

NAME, TURNS, OWN = "model.name", "sessions.window_turns", "web.port"
FIRST: dict[str, JsonValue] = {NAME: "one", TURNS: 30}


class Board:
    """What was told, as the table has it: of each key the last."""

    def __init__(self) -> None:
        self.told: dict[str, ToldValue] = {}

    def tell(self, due: Exchange) -> None:
        for key, value in due.tell.items():
            self.told[key] = ToldValue(due.position.seen, key, value, "somebody")


@dataclass
class Process:
    """A home with its settings, and how far it is."""

    board: Board
    values: dict[str, JsonValue] = field(default_factory=lambda: dict(FIRST))
    position: Position | None = None

    def share(self, *, refuses: str = "") -> Exchange:
        due = exchange(dict(self.values), self.position, list(self.board.told.values()))
        self.board.tell(due)
        for each in due.take:
            if each.key != refuses:
                self.values[each.key] = each.value
        left = {key: value for key, value in due.position.left.items() if key == refuses}
        self.position = Position(due.position.seen, dict(self.values), left)
        return due


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
def ada(board: Board) -> Process:
    return joined(board)


@pytest.fixture
def bob(board: Board) -> Process:
    return joined(board)


def joined(board: Board, **values: JsonValue) -> Process:
    process = Process(board, {**FIRST, **values})
    process.share()
    return process


def test_a_change_reaches_the_other_and_is_not_told_again(ada: Process, bob: Process) -> None:
    ada.values[TURNS] = 9
    assert ada.share().tell == {TURNS: 9}
    (taken,) = bob.share().take
    assert (taken.key, taken.value) == (TURNS, 9)
    for process in (ada, bob, ada, bob):
        due = process.share()
        assert (due.tell, list(due.take)) == ({}, [])


def test_of_two_that_change_the_same_the_second_counts(ada: Process, bob: Process) -> None:
    ada.values[TURNS], bob.values[TURNS] = 9, 8
    ada.share()
    due = bob.share()
    assert (due.tell, list(due.take)) == ({TURNS: 8}, [])
    ada.share()
    assert ada.values == bob.values == {**FIRST, TURNS: 8}


def test_what_is_back_at_its_default_is_told_as_that(ada: Process, bob: Process) -> None:
    for value in (9, 30):
        ada.values[TURNS] = value
        ada.share()
        bob.share()
        assert bob.values[TURNS] == value


def test_what_both_change_alike_is_told_once(ada: Process, bob: Process) -> None:
    ada.values[TURNS] = bob.values[TURNS] = 9
    assert ada.share().tell == {TURNS: 9}
    due = bob.share()
    assert (due.tell, list(due.take)) == ({}, [])


def test_who_was_down_takes_up_the_last_of_each(ada: Process, bob: Process) -> None:
    for value in (9, 8, 7):
        ada.values[TURNS] = value
        ada.share()
    ada.values[NAME] = "two"
    ada.share()
    bob.share()
    assert bob.values == {NAME: "two", TURNS: 7}


def test_a_new_home_keeps_what_it_has_and_takes_what_comes_later(
    board: Board, ada: Process
) -> None:
    ada.values[TURNS] = 9
    ada.share()
    eve = joined(board, **{NAME: "hers", TURNS: 5})
    ada.share()
    assert (eve.values, ada.values) == ({NAME: "hers", TURNS: 5}, {NAME: "one", TURNS: 9})
    ada.values[TURNS] = 8
    ada.share()
    eve.share()
    assert eve.values == {NAME: "hers", TURNS: 8}


def test_what_is_refused_is_tried_again_and_is_no_change(ada: Process, bob: Process) -> None:
    ada.values |= {TURNS: 9, NAME: "two"}
    ada.share()
    for _ in range(2):
        due = bob.share(refuses=TURNS)
        assert due.tell == {}
        assert TURNS in {each.key for each in due.take}
        assert bob.values == {NAME: "two", TURNS: 30}
    assert bob.share().position.left == {TURNS: 9}
    assert bob.values[TURNS] == 9
    assert bob.share().position.left == {}


def test_an_own_change_takes_the_place_of_what_was_refused(ada: Process, bob: Process) -> None:
    ada.values[TURNS] = 9
    ada.share()
    bob.share(refuses=TURNS)
    bob.values[TURNS] = 7
    assert bob.share().tell == {TURNS: 7}
    ada.share()
    assert ada.values[TURNS] == 7


def test_what_a_crash_cut_off_is_not_taken_for_an_own_change(ada: Process, bob: Process) -> None:
    ada.values[TURNS] = 9
    ada.share()
    due = exchange(dict(bob.values), bob.position, list(bob.board.told.values()))
    # The file was written, and what had become of it was not kept.
    bob.position, bob.values[TURNS] = due.position, 9
    ada.values[TURNS] = 8
    ada.share()
    assert bob.share().tell == {}
    assert bob.values[TURNS] == 8


def test_a_home_from_a_backup_goes_on_from_there(ada: Process, bob: Process) -> None:
    values, position = dict(ada.values), ada.position
    ada.values[TURNS] = 9
    ada.share()
    bob.values[NAME] = "two"
    bob.share()
    ada.values, ada.position = values, position
    ada.share()
    assert ada.values == bob.values == {NAME: "two", TURNS: 9}


def test_a_number_beyond_the_newest_is_the_newest(board: Board, ada: Process, bob: Process) -> None:
    for value in range(5):
        ada.values[TURNS] = value
        ada.share()
    bob.share()
    board.told.clear()
    bob.share()
    assert bob.position is not None
    assert bob.position.seen == 0
    ada.values[TURNS] = 9
    ada.share()
    bob.share()
    assert bob.values[TURNS] == 9


def test_what_is_the_machine_s_own_is_not_taken_from_an_older_version(ada: Process) -> None:
    told = [ToldValue(7, OWN, 1, "older"), ToldValue(7, "some.later", 1, "newer")]
    due = exchange(dict(ada.values), ada.position, told)
    assert [each.key for each in due.take] == ["some.later"]


STEPS = st.lists(
    st.tuples(
        st.integers(0, 2), st.sampled_from([NAME, TURNS, ""]), st.integers(0, 3), st.booleans()
    ),
    max_size=30,
)


@given(STEPS)
def test_all_have_the_same_in_the_end(steps: list[tuple[int, str, int, bool]]) -> None:
    board = Board()
    processes = [joined(board) for _ in range(3)]
    said: set[tuple[str, JsonValue]] = set(FIRST.items())
    for number, key, value, refuses in steps:
        if key:
            processes[number].values[key] = value
            said.add((key, value))
        processes[number].share(refuses=TURNS if refuses else "")
    for process in processes * 2:
        process.share()
    assert all(process.values == processes[0].values for process in processes)
    assert set(processes[0].values.items()) <= said
    assert len(board.told) <= len(FIRST)


def test_no_secret_and_nothing_of_the_machine_is_shared(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.settings_file.write_text("web: {port: 1}\ndatabase: {url: postgresql://one/two}\n")
    address = "postgresql://gaia:canary@db.example.org/gaia"
    loaded = load_settings(home, {"OPENAI_API_KEY": "canary", "GAIA_DATABASE_URL": address})
    shared = shared_values(loaded)
    assert "canary" not in repr(shared)
    assert "database.url" not in shared
    assert "web.port" not in shared
    assert shared["web.page"] is True
    assert None not in shared.values()


@pytest.mark.parametrize("own", OF_THE_MACHINE)
def test_what_is_of_the_machine_is_a_setting_and_is_told_in_the_documentation(own: str) -> None:
    keys = [str(key) for key in all_keys()]
    assert any(f"{key}.".startswith(f"{own}.") and not is_shared(key) for key in keys)
    docs = Path(__file__).parents[3] / "docs" / "configuration.md"
    (told,) = [line for line in docs.read_text().splitlines() if "each has its own." in line]
    assert f"`{own}`" in told


def test_a_position_is_kept_without_defaults(tmp_path: Path) -> None:
    file = tmp_path / "position.json"
    assert read_position(file) is None
    values = {str(key): key.default for key in all_keys() if is_shared(str(key))}
    position = Position(7, {**values, NAME: "two"}, {TURNS: 9})
    keep_position(file, position)
    assert TURNS in (found := file.read_text())
    assert "retries" not in found
    kept = read_position(file)
    assert kept is not None
    assert {key: kept.values[key] for key in position.values} == position.values
    assert (kept.seen, kept.left) == (7, {TURNS: 9})
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("{")
    with pytest.raises(ValueError, match="JSON"):
        read_position(file)
