"""What `make run` starts, as a newcomer meets it: the printed commands lead to the requisition on the ERP's page."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx
import pytest

_PATIENCE_SECONDS = 90.0
_MOST_LINES = 25
_SECONDS_OF_A_LATER_START = 5.0


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _vermilion(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vermilion", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


@contextmanager
def _running(folder: Path, ports: list[int]) -> Generator[str]:
    """Run the workplace in a folder; gives what it printed until it was ready."""
    names = ("--port", "--erp-port", "--wms-port", "--mes-port")
    options = [part for name, port in zip(names, ports, strict=True) for part in (name, str(port))]
    process = subprocess.Popen(
        [sys.executable, "-m", "vermilion", "run", *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    lines: queue.Queue[str] = queue.Queue()
    reader = threading.Thread(target=_read_into, args=(process.stdout, lines), daemon=True)
    reader.start()
    printed: list[str] = []
    until = time.monotonic() + _PATIENCE_SECONDS
    try:
        while not any("Ctrl-C" in line for line in printed):
            line = lines.get(timeout=max(0.1, until - time.monotonic()))
            assert line, "".join(printed)
            printed.append(line)
        yield "".join(printed)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        reader.join()
        process.stdout.close()


def _read_into(stream: IO[str], lines: queue.Queue[str]) -> None:
    """Read lines until the end, which is an empty one."""
    for line in stream:
        lines.put(line)
    lines.put("")


@pytest.mark.timeout(240)
def test_the_printed_task_leads_from_the_waiting_approval_to_the_requisition(tmp_path: Path) -> None:
    ports = _free_ports(4)
    with _running(tmp_path, ports) as printed:
        found = re.search(r"/tasks/([0-9a-f]{32})$", printed, re.MULTILINE)
        assert found is not None, printed
        assert len(printed.splitlines()) < _MOST_LINES, printed

        decided = _vermilion(tmp_path, "decide", found.group(1), "--as", "wei", "--set", "action=approve")
        assert decided.returncode == 0, decided.stderr
        workflow_id = json.loads(decided.stdout)["instance"]["workflow_id"]

        until = time.monotonic() + _PATIENCE_SECONDS
        while "SUCCEEDED" not in (view := _vermilion(tmp_path, "show", workflow_id)).stdout:
            assert time.monotonic() < until, view.stdout
        page = httpx.get(f"http://127.0.0.1:{ports[1]}/", trust_env=False).text
        assert "RISK-2026-0001" in page

    # A second start finds everything as it was, and nothing is bought twice.
    with _running(tmp_path, ports) as printed:
        assert "Nothing waits for anybody" in printed
        ready = re.search(r"Ready after ([\d.]+) s", printed)
        assert ready is not None
        assert float(ready.group(1)) < _SECONDS_OF_A_LATER_START
        page = httpx.get(f"http://127.0.0.1:{ports[1]}/", trust_env=False).text
        assert page.count("RISK-2026-0001/v1") == 1


def test_a_port_in_use_is_said_in_a_sentence_with_the_option_that_chooses_another(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = _vermilion(tmp_path, "run", "--port", str(port))

    assert done.returncode == 1
    assert f"Port {port}" in done.stderr
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr
