"""The sandbox company as a child process of this one, and how to reach it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from engine.contract.connection import Connection, RepeatRecognition

_SECONDS_TO_START = 30.0
_SECONDS_TO_STOP = 5.0


class CompanyFailed(Exception):
    """The sandbox company did not start. The message holds what it said."""


@dataclass(frozen=True, kw_only=True)
class CompanyReach:
    """Addresses and tokens of the three systems, and the secret its events are signed with."""

    urls: Mapping[str, str]
    service_tokens: Mapping[str, str] = field(repr=False)
    reader_tokens: Mapping[str, str] = field(repr=False)
    admin_tokens: Mapping[str, str] = field(repr=False)
    events_secret: str = field(repr=False)

    def connections(self, *, keys_on: bool = True) -> tuple[Connection, ...]:
        """Return the connections with which the product's operations reach this company."""
        recognition = RepeatRecognition.NATIVE_KEY if keys_on else RepeatRecognition.SEARCH_ONLY
        return tuple(
            Connection(
                system=name,
                base_url=url,
                token=self.service_tokens[name],
                recognition=recognition,
                search_is_complete=True,
            )
            for name, url in self.urls.items()
        )


class CompanyProcess:
    """Runs ``python -m sandbox`` and ends it with this process.

    Raises
    ------
    CompanyFailed
        On entering, when it does not say within 30 seconds that it is ready.
    """

    def __init__(
        self,
        folder: Path,
        *,
        ports: Mapping[str, int],
        options: Sequence[str] = (),
        events_secret: str | None = None,
    ) -> None:
        self._environment = os.environ | ({"SANDBOX_EVENTS_SECRET": events_secret} if events_secret else {})
        port_options = [part for name, port in ports.items() for part in (f"--{name}-port", str(port))]
        self._command = [sys.executable, "-m", "sandbox", "--folder", str(folder), *port_options, *options]
        self._stack = ExitStack()
        self.reach: CompanyReach

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            # What it says of errors goes into a file: a pipe that nobody empties would stop it one day.
            said = stack.enter_context(tempfile.TemporaryFile("w+"))
            process = subprocess.Popen(  # noqa: S603 - our own module, no shell
                self._command, stdout=subprocess.PIPE, stderr=said, text=True, env=self._environment
            )
            stack.callback(_end, process)
            line = _first_line(process)
            if not line:
                _end(process)
                said.seek(0)
                raise CompanyFailed(said.read().strip() or "It ended without a word.")
            self.reach = _read_reach(Path(json.loads(line)["company_file"]))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


def _first_line(process: subprocess.Popen[str]) -> str:
    """Return what the process says first; nothing when it ends, or says nothing in time."""
    if process.stdout is None or not select.select([process.stdout], [], [], _SECONDS_TO_START)[0]:
        return ""
    return process.stdout.readline()


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(_SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _read_reach(file: Path) -> CompanyReach:
    content: dict[str, Any] = json.loads(file.read_text())
    systems: dict[str, dict[str, str]] = content["systems"]
    return CompanyReach(
        urls={name: each["url"] for name, each in systems.items()},
        service_tokens={name: each["service"] for name, each in systems.items()},
        reader_tokens={name: each["reader"] for name, each in systems.items()},
        admin_tokens={name: each["admin"] for name, each in systems.items()},
        events_secret=content["events_secret"],
    )


class CompanyDesk:
    """What a person with the administrator's token can do in the sandbox company: see its ledger, set its faults."""

    def __init__(self, reach: CompanyReach) -> None:
        self._reach = reach
        self._client = httpx.Client(timeout=10.0, trust_env=False)

    def ledger(self, system: str = "erp") -> dict[str, Any]:
        """Return the system's own ledger."""
        return self._ask("GET", system, "/ledger")

    def report_shortage(self, material_id: str, material_risk_id: str) -> None:
        """Have the MES report a shortage: it sends a signed ``material.shortage`` event.

        Raises
        ------
        CompanyFailed
            When the MES does not know the material.
        """
        answer = self._request("POST", "mes", f"/report/{material_id}", {"material_risk_id": material_risk_id})
        if not answer.is_success:
            raise CompanyFailed(f"The MES does not report a shortage of {material_id}: {answer.text}")

    def faults_fired(self) -> dict[str, int]:
        """Return how often each armed fault has fired, as ``operation:name``."""
        return {
            f"{each['operation']}:{each['name']}": int(each["fired"])
            for system in self._reach.urls
            for each in self._ask("GET", system, "/faults")["faults"]
        }

    def set_fault(self, operation: str, name: str, count: int) -> None:
        """Arm a fault switch.

        Raises
        ------
        CompanyFailed
            When no system knows the operation or the fault.
        """
        system, _, short = operation.rpartition(".")
        refusals: list[str] = []
        for each in (system,) if system else tuple(self._reach.urls):
            answer = self._request("POST", each, "/faults", {"operation": short, "name": name, "count": count})
            if answer.is_success:
                return
            refusals.append(answer.text)
        raise CompanyFailed(f"No system takes the fault {operation}:{name}. {refusals[-1]}")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, method: str, system: str, path: str) -> dict[str, Any]:
        answer = self._request(method, system, path, None)
        answer.raise_for_status()
        return answer.json()

    def _request(self, method: str, system: str, path: str, body: Mapping[str, object] | None) -> httpx.Response:
        if system not in self._reach.urls:
            raise CompanyFailed(f"There is no system `{system}`; there are {', '.join(self._reach.urls)}.")
        headers = {"Authorization": f"Bearer {self._reach.admin_tokens[system]}"}
        return self._client.request(method, self._reach.urls[system] + path, json=body, headers=headers)
