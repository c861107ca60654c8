"""An installation and a company to play purchases on, in the process of a test."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.work import Ledger
from tests.promises.books import Case, Foreign, read_cases
from tests.promises.desk import Desk
from tests.promises.journeys import Journey
from tests.promises.judge import Finding, judge
from tests.promises.points import Points
from tests.promises.purchase import Order, Purchase
from vermilion.company_process import CompanyProcess, CompanyReach
from vermilion.installation import Installation, Parts
from vermilion.people import DEMO_PEOPLE, DEPLOYER_LOGIN, SERVICE_LOGIN
from vermilion.settings import EventSender, Settings, SystemSettings
from vermilion.shipped import PROCUREMENT, shipped_process

#: Puts something between a worker and the ledger.
Around = Callable[[Ledger], Ledger]
#: What events of these companies are signed with.
SECRET = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
#: Materials that nobody has bought yet; each purchase takes the next.
_MATERIALS = 20


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Where purchases are played."""

    here: Installation
    reach: CompanyReach
    desk: Desk
    points: Points
    folder: Path

    def order(self, number: int = 1) -> Order:
        """Return what is bought as the ``number``-th."""
        folder = self.folder / f"order-{number}"
        folder.mkdir()
        return Order(material_id=f"MAT-001-{number:04}", business_key=f"RISK-{number}", folder=folder)

    def play(self, journey: Journey, around: Around = lambda ledger: ledger) -> Case:
        """Play a journey to its end and return our books of it. Raises PurchaseStuck."""
        order = self.order()
        for operation, name, count in journey.faults:
            self.desk.fault(operation, name, count, journey.seconds)
        purchase = Purchase(self.here, self.reach, journey, order, self.points, around)
        try:
            purchase.play()
        finally:
            purchase.close()
        (case,) = self.cases()
        return case

    def cases(self) -> Sequence[Case]:
        """Return our books."""
        return read_cases(self.here.settings.database)

    def foreign(self) -> Foreign:
        """Return the ERP's."""
        return Foreign.of(self.desk.ledger())

    def findings(self) -> tuple[Finding, ...]:
        """Return what the judge finds wrong."""
        return judge(self.cases(), self.foreign())

    def settings(self) -> Settings:
        """Return the settings of a further process on the same database and company."""
        systems = {
            each.system: SystemSettings.model_validate({"base_url": each.base_url, "token": each.token})
            for each in self.reach.connections()
        }
        return self.here.settings.model_copy(update={"systems": systems})


@contextmanager
def stage_on(database: str, folder: Path, *, keys_on: bool = True, process: Path | None = None) -> Generator[Stage]:
    """Open a stage on a database with empty tables. ``process`` is the folder to deploy; left out: procurement."""
    options = ["--latency", "0", "0", "--confirmation", "never", "--copies", str(_MATERIALS)]
    company = CompanyProcess(
        folder / "company", ports={}, options=[*options, *([] if keys_on else ["--no-keys"])], events_secret=SECRET
    )
    points = Points()
    sender = EventSender.model_validate({"secret": SECRET, "login": SERVICE_LOGIN})
    settings = Settings(database=database, event_senders={"company": sender})
    with company, Installation(settings, Parts(crash_points=points)) as here:
        here.seed(DEMO_PEOPLE)
        here.deploy(here.actor(DEPLOYER_LOGIN), process or shipped_process(PROCUREMENT))
        desk = Desk(company.reach)
        try:
            yield Stage(here=here, reach=company.reach, desk=desk, points=points, folder=folder)
        finally:
            desk.close()
