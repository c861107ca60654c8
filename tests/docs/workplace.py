"""The workplace of ``make run`` for tests of documents: in a folder of its own, on free ports."""

from __future__ import annotations

import re
import socket
from contextlib import ExitStack

from tests.docs.following import Reader

#: The ports of ``make run`` as documents name them, with the option that chooses another.
PORTS = {8400: "--port", 8401: "--erp-port", 8402: "--wms-port", 8403: "--mes-port"}
_STOP = "Stop here with Ctrl-C."


def free_ports(count: int) -> list[int]:
    """Return ports that nothing uses now."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


class OpenWorkplace:
    """A workplace that ``reader`` has started; ``printed`` is what it said."""

    def __init__(self, reader: Reader) -> None:
        self._ports = dict(zip(PORTS, free_ports(len(PORTS)), strict=True))
        options = " ".join(f"{PORTS[known]} {port}" for known, port in self._ports.items())
        lines: list[str] = []
        for line in reader.stay(f".venv/bin/vermilion run {options}"):
            lines.append(line)
            if _STOP in line:
                break
        self.printed = "\n".join(lines)
        assert _STOP in self.printed, self.printed

    def here(self, text: str) -> str:
        """Return a text with this workplace's ports instead of those of ``make run``."""
        return re.sub(r"\b840[0-3]\b", lambda found: str(self._ports[int(found[0])]), text)

    def as_documented(self, text: str) -> str:
        """Return a text with the ports of ``make run`` instead of this workplace's."""
        known = {str(port): str(name) for name, port in self._ports.items()}
        return re.sub(r"\b\d{4,5}\b", lambda found: known.get(found[0], found[0]), text)
