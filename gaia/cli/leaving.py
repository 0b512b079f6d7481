"""The end of a process in which a thread is still in the middle of something.

A thread that comes out of a library of another language while the interpreter ends
aborts the process, and a service that was stopped counts as one that crashed.
"""

from __future__ import annotations


def leave_threads(exit_code: int) -> None:
    """End the process at once if a thread runs that nobody waits for; else return.

    Call it last: everything is closed and on disk by then.
    """
    import logging
    import os
    import sys
    import threading
    from contextlib import suppress

    if not any(thread.daemon for thread in threading.enumerate()):
        return
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        # One that was closed, or whose reader has left, has nothing to be told.
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(exit_code)
