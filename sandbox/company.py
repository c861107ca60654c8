"""The stand-in company: three systems, each with its own server, port, database file and sign-in tokens."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self, TypedDict

from sandbox.clock import Clock
from sandbox.data import Confirmation, CostCentre, MaterialSeed, Name, company_seed, material_seeds
from sandbox.erp import Erp
from sandbox.faults import FaultName, FaultOrder
from sandbox.http_server import HttpServer
from sandbox.mes import Mes
from sandbox.requisitions import Habits
from sandbox.system import Manner, System
from sandbox.tokens import Tokens
from sandbox.wms import Wms

#: The file in a company's folder that says how to reach it; readable by its owner alone.
COMPANY_FILE = "company.json"


class Secrets(TypedDict):
    """One system's tokens, as the company's file holds them."""

    service: str
    reader: str
    admin: str


@dataclass(frozen=True, kw_only=True)
class Reach:
    """How to reach one system: its address and tokens."""

    url: str
    service: str
    reader: str
    admin: str


class Company:
    """A company on ``folder``: new on an empty one, as it was left on one that was used before.

    Parameters
    ----------
    erp_port, wms_port, mes_port
        0 takes a free port.
    keys_on
        Whether the ERP knows idempotency keys.
    confirmation, confirm_after, late_after
        When the ERP confirms requisitions; see ``Habits``.
    search_lags
        Whether new requisitions cannot be searched until told so.
    events_url, events_secret
        Where signed events go and with what they are signed (base64); without a secret one is made.
    latency
        Seconds added to every answer, drawn evenly from this range.
    today
        The company's first day; the machine's, in UTC, when left out.
    copies
        So many further materials ``MAT-001-0001`` ... like MAT-001 on a cost centre of their own, for measurements.

    Raises
    ------
    OSError
        When a port is taken.
    """

    def __init__(
        self,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        erp_port: int = 0,
        wms_port: int = 0,
        mes_port: int = 0,
        keys_on: bool = True,
        confirmation: Confirmation = "at_once",
        confirm_after: float = 0.0,
        late_after: float | None = None,
        search_lags: bool = False,
        events_url: str | None = None,
        events_secret: str | None = None,
        latency: tuple[float, float] = (0.0, 0.0),
        today: date | None = None,
        copies: int = 0,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / COMPANY_FILE
        known = _Known.read(self._file)
        self.clock = Clock(today)
        self.events_secret = events_secret or known.events_secret
        manner = Manner(latency=latency, events_url=events_url, events_secret=self.events_secret)
        seed = company_seed()
        if copies:
            seed = seed.model_copy(update={"cost_centres": (*seed.cost_centres, _MEASUREMENTS)})
        habits = Habits(
            keeps_keys=keys_on,
            confirmation=confirmation,
            confirm_after=confirm_after,
            late_after=late_after,
            search_lags=search_lags,
        )
        tokens = known.tokens
        self.erp = Erp(folder, self.clock, tokens["erp"], manner, habits=habits, company=seed)
        self.wms = Wms(folder, self.clock, tokens["wms"], manner)
        self.mes = Mes(folder, self.clock, tokens["mes"], manner)
        materials = (*material_seeds(), *_copies(copies))
        for system in (self.erp, self.wms, self.mes):
            system.seed(materials)
        ports = {"erp": erp_port, "wms": wms_port, "mes": mes_port}
        self._servers = [HttpServer(host, ports[each.name], each.answer) for each in self.systems]
        self.reach: Mapping[str, Reach] = {
            system.name: Reach(
                url=f"http://{host}:{server.port}",
                service=system.tokens.service,
                reader=system.tokens.reader,
                admin=system.tokens.admin,
            )
            for system, server in zip(self.systems, self._servers, strict=True)
        }
        for system in self.systems:
            system.neighbours.update({name: each.url for name, each in self.reach.items() if name != system.name})

    @property
    def systems(self) -> Sequence[System]:
        """The ERP, the WMS and the MES."""
        return (self.erp, self.wms, self.mes)

    @property
    def file(self) -> Path:
        """Where addresses and tokens are written when the company starts."""
        return self._file

    def start(self) -> Self:
        """Open all three systems and write down how to reach them."""
        for system, server in zip(self.systems, self._servers, strict=True):
            system.start()
            server.start()
        reach = {name: asdict(each) for name, each in self.reach.items()}
        self._file.touch(mode=0o600)
        self._file.write_text(json.dumps({"systems": reach, "events_secret": self.events_secret}, indent=2))
        return self

    def stop(self) -> None:
        """Close all three systems; their files stay."""
        for system in self.systems:
            system.interrupt()
        for server in self._servers:
            server.stop()
        for system in self.systems:
            system.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def set_fault(
        self, operation: str, name: FaultName, count: int = 1, *, seconds: float = 2.0, retry_after: int = 1
    ) -> None:
        """Arm a fault switch in the system that has the operation.

        Raises
        ------
        LookupError
            When no system has it.
        """
        short = operation.partition(".")[2] or operation
        for system in self.systems:
            if short in system.operations:
                system.order_fault(
                    FaultOrder(operation=short, name=name, count=count, seconds=seconds, retry_after=retry_after)
                )
                return
        known = ", ".join(f"{system.name}.{each}" for system in self.systems for each in system.operations)
        raise LookupError(f"No system has an operation {operation!r}. There are: {known}.")

    def fired(self, operation: str) -> int:
        """Return how often switches of an operation have fired."""
        return sum(
            int(each["fired"])
            for system in self.systems
            for each in system.faults.counts()
            if each["operation"] == operation
        )

    def move_clock(self, distance: timedelta) -> None:
        """Let time pass in the whole company."""
        self.clock.move(distance)


class _Known:
    """What an earlier start left in the company's file: tokens stay the same, so that a restart needs no new set-up."""

    def __init__(self, tokens: dict[str, Tokens], events_secret: str) -> None:
        self.tokens = tokens
        self.events_secret = events_secret

    @classmethod
    def read(cls, file: Path) -> _Known:
        """Read the file; without one everything is new."""
        if not file.exists():
            secret = base64.b64encode(secrets.token_bytes(32)).decode()
            return cls({name: Tokens() for name in ("erp", "wms", "mes")}, secret)
        content = json.loads(file.read_text())
        systems: dict[str, Secrets] = content["systems"]
        return cls(
            {
                name: Tokens(service=each["service"], reader=each["reader"], admin=each["admin"])
                for name, each in systems.items()
            },
            content["events_secret"],
        )


_MEASUREMENTS = CostCentre.model_validate(
    {
        "cost_centre": "CC-900",
        "name": Name(en="Measurements", zh="性能测试"),
        "total": "1000000000.00",
        "committed": "0.00",
    }
)


def _copies(count: int) -> list[MaterialSeed]:
    """Return copies of MAT-001 with document numbers of their own."""
    first = material_seeds()[0]
    copies: list[MaterialSeed] = []
    for n in range(1, count + 1):
        mark = f"-{n:04}"
        changes = {
            "material_id": first.material_id + mark,
            "cost_centre": "CC-900",
            "purchases": tuple(each.model_copy(update={"number": each.number + mark}) for each in first.purchases),
        }
        copies.append(first.model_copy(update=changes))
    return copies
