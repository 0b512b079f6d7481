"""`gaia model`, as it is called."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gaia.cli.model import app
from gaia.errors import ModelFileError, ModelMissingError
from gaia.extras import LOCAL
from gaia.weights.catalogue import CATALOGUE, find_model
from gaia.weights.folder import Weights

SMALL = "smollm2-135m-instruct-q4_1"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def run(home: Path, *words: str, answer: str = "", **environment: str) -> Result:
    environment |= {"GAIA_HOME": str(home)}
    return CliRunner().invoke(app, words, env=environment, input=answer)


def put(home: Path) -> Path:
    """Put a file in the small model's place, marked as verified."""
    weights = Weights(home / "models")
    weights.folder.mkdir(parents=True)
    verified = weights.folder / "any"
    verified.write_bytes(b"weights")
    weights.install(find_model(SMALL), verified)
    return weights.path(find_model(SMALL))


def test_the_list_offers_what_is_fit_to_talk_to(home: Path) -> None:
    listed = run(home, "list").stdout

    assert all((model.name in listed) is model.offered for model in CATALOGUE)
    assert all(len(line) <= 80 for line in listed.splitlines())


def test_a_model_for_tests_is_listed_on_request_or_when_it_is_there(home: Path) -> None:
    assert SMALL in run(home, "list", "--all").stdout
    put(home)
    listed = json.loads(run(home, "list", "--json").stdout)
    assert {one["name"]: one["installed"] for one in listed}[SMALL] is True


def test_where_there_is_no_model_verify_says_so(home: Path) -> None:
    told = " ".join(run(home, "verify").stdout.split())
    assert told == f"No model is in {home / 'models'}: 'gaia model pull' fetches one."


def test_the_list_says_who_knows_the_hash_and_what_was_pulled(home: Path) -> None:
    put(home)
    found = {one["name"]: one for one in json.loads(run(home, "list", "--json").stdout)}
    assert found[SMALL]["hash_known_to"] == "gaia"
    assert found[SMALL]["pulled_on"].startswith("20")
    unknown = found["ministral-3-8b-instruct-2512-q4_k_m"]
    assert (unknown["hash_known_to"], unknown["sha256"]) == ("publisher", None)
    listed = run(home, "list").stdout
    assert "since 20" in listed
    assert "its publisher" in listed


def test_a_model_that_is_not_what_was_pulled_is_found(home: Path) -> None:
    put(home)
    result = run(home, "verify")
    assert isinstance(result.exception, ModelFileError)
    assert SMALL in str(result.exception)
    assert "gaia model pull" in str(result.exception)


def test_verifying_nothing_is_fine(home: Path) -> None:
    assert run(home, "verify").exit_code == 0


def test_if_needed_does_nothing_for_a_remote_model(home: Path) -> None:
    result = run(home, "pull", "--if-needed", OPENAI_API_KEY="x")

    assert result.exit_code == 0
    assert result.output == ""
    assert not home.exists()


def test_if_needed_does_nothing_when_the_model_is_there(home: Path) -> None:
    put(home)
    (home / "gaia.yaml").write_text(f"model: {{name: {SMALL}}}\n")

    result = run(home, "pull", "--if-needed")

    assert result.exit_code == 0
    assert result.output == ""


def test_if_needed_imports_nothing_heavy(home: Path) -> None:
    script = (
        "import sys; from gaia.cli.model import app; app(['pull', '--if-needed'], "
        "standalone_mode=False); print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", script],
        env={"GAIA_HOME": str(home), "GEMINI_API_KEY": "x"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "pydantic" in loaded
    assert {"google", "httpx", "openai", "sqlalchemy", "xllamacpp"}.isdisjoint(loaded)


@pytest.mark.parametrize("words", [("pull",), ("pull", SMALL), ("pull", "--if-needed")])
def test_pulling_looks_for_the_engine_first(
    home: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, LOCAL.package, None)
    result = run(home, *words)

    assert isinstance(result.exception, ModelMissingError)
    assert LOCAL.install_line in str(result.exception)
    assert not home.exists()


def test_pulling_what_is_there_says_so(home: Path) -> None:
    file = put(home)

    assert str(file) in run(home, "pull", SMALL).stdout


def test_removing_asks_first(home: Path) -> None:
    file = put(home)

    assert run(home, "remove", SMALL, answer="n\n").exit_code == 1
    assert file.exists()
    run(home, "remove", SMALL, answer="y\n")
    assert list(file.parent.iterdir()) == []


def test_removing_what_is_not_there_is_an_error(home: Path) -> None:
    assert isinstance(run(home, "remove", SMALL, "--yes").exception, ModelFileError)


@pytest.mark.parametrize("command", ["pull", "remove"])
def test_an_unknown_name_is_a_mistake_of_usage(home: Path, command: str) -> None:
    result = run(home, command, "gpt-9")

    assert result.exit_code == 2
    assert "gpt-9" in result.output
