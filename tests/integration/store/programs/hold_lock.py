"""Takes the daemon's lock of HOME, starts a program that outlives it, prints its pid and waits.

usage: hold_lock.py HOME
"""

import subprocess
import sys
from pathlib import Path

from gaia.paths import Home
from gaia.store.lock import DaemonLock

with DaemonLock(Home(Path(sys.argv[1]))):
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=0)
    sys.stdout.write(f"{child.pid}\n")
    sys.stdout.flush()
    sys.stdin.read()
