"""gaia, a personal assistant that runs as a daemon on its owner's machine."""

import sys

__version__ = "0.1.0"

# httpx loads its own command line, and rich with it, wherever they are installed: 3 MB of each
# process. An entry without a module says that there is none.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
