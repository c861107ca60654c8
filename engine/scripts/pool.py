"""The sandbox's worker processes: started when first needed, shared by threads, never by forked processes."""

from __future__ import annotations

import os
import sys
import threading
from importlib.util import find_spec

from pydantic_monty import Monty

#: pydantic-monty asks for this package with every script. A package that is not there is searched for each time, which
#: took a sixth of a short script's processor time; None in its place tells Python that the search is over.
_TRACING = "opentelemetry"

#: Seconds to wait for a free worker before giving up: scripts take at most about one.
PATIENCE = 60.0


class ForkedAfterUse(RuntimeError):
    """This process was forked after its parent had run a script. Fork first: the sandbox does not survive a fork."""


class Pool:
    """Worker processes of one operating system process.

    A process may fork as long as it has run no script; each fork then gets workers of its own. pydantic-monty 1.4.0
    hangs in a fork of a process that has used it, so this is refused instead.
    """

    def __init__(self, max_processes: int | None) -> None:
        self._max_processes = max_processes
        self._lock = threading.Lock()
        self._monty: Monty | None = None
        self._process = 0

    def get(self) -> Monty:
        """Return the running pool, starting it if need be. Raises ForkedAfterUse."""
        monty = self._monty
        if monty is not None and self._process == os.getpid():
            return monty
        if self._process not in (0, os.getpid()):
            raise ForkedAfterUse(ForkedAfterUse.__doc__)
        with self._lock:
            if self._monty is None:
                _stop_searching(_TRACING)
                monty = Monty(max_processes=self._max_processes, checkout_timeout=PATIENCE)
                monty.__enter__()
                self._monty, self._process = monty, os.getpid()
            return self._monty

    def close(self) -> None:
        """Stop the workers. Scripts run afterwards start new ones."""
        with self._lock:
            if self._monty is not None and self._process == os.getpid():
                self._monty.__exit__(None, None, None)
                self._monty = None


def _stop_searching(package: str) -> None:
    """Let imports of a package that is not installed fail at once (Python reference, 5.3.1, the module cache)."""
    if package not in sys.modules and find_spec(package) is None:
        sys.modules[package] = None  # type: ignore[assignment]
