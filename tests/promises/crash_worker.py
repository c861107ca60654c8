"""Kills purchases at their named points: ``python -m tests.promises.crash_worker --journey plain --folder DIR``.

One process with everything imported and every definition read; it has no threads and no open connection. For each run
it forks a process that is killed at one point, and another that starts on the same database and the same company and
drives the purchase to its end. Then the judge reads both ledgers. Each run is one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import structlog

from tests.promises.books import Case, Foreign, read_cases
from tests.promises.desk import Desk
from tests.promises.journeys import JOURNEYS, Journey, Target
from tests.promises.judge import judge
from tests.promises.points import Points
from tests.promises.purchase import Order, Purchase
from tests.promises.stage import SECRET
from vermilion.company_process import CompanyProcess, CompanyReach
from vermilion.installation import Installation, Parts
from vermilion.people import DEMO_PEOPLE, DEPLOYER_LOGIN, SERVICE_LOGIN
from vermilion.settings import EventSender, Settings
from vermilion.shipped import PROCUREMENT, shipped_process

#: Runs that share one company, each with a material of its own; then a new company is opened.
RUNS_PER_COMPANY = 60
#: The longest that one process of a run may take, in seconds; then it ends by SIGALRM.
_PATIENCE_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Run:
    """What became of one run. ``wrong`` is empty when everything held."""

    journey: str
    point: str
    number: int
    wrong: tuple[str, ...]
    seconds: float


class JourneyFailed(Exception):
    """A journey does not end as it should although nothing was killed. The message says in what."""


class Companies:
    """The stand-in company as a process of its own, a new one after so many runs."""

    def __init__(self, journey: Journey, folder: Path) -> None:
        self._folder = folder
        # The form takes only names that materials really have: then each run has a company of its own.
        self._runs = 1 if journey.starts == "form" else RUNS_PER_COMPANY
        self._options = ["--latency", "0", "0", "--confirmation", "never", "--copies", str(self._runs)]
        if not journey.keys_on:
            self._options.append("--no-keys")
        self._process: CompanyProcess | None = None
        self._desk: Desk | None = None
        self._opened = 0
        self._used = 0

    def material(self) -> str:
        """Return a material that nobody has bought, in a company without faults."""
        if self._process is None or self._used == self._runs:
            self.close()
            self._opened += 1
            self._used = 0
            folder = self._folder / f"company-{self._opened}"
            self._process = CompanyProcess(folder, ports={}, options=self._options, events_secret=SECRET).__enter__()
            self._desk = Desk(self._process.reach)
        self._used += 1
        self.desk.repair()
        return "MAT-001" if self._runs == 1 else f"MAT-001-{self._used:04}"

    @property
    def reach(self) -> CompanyReach:
        """How to reach the present company."""
        assert self._process is not None
        return self._process.reach

    @property
    def desk(self) -> Desk:
        """The administrator of the present company."""
        assert self._desk is not None
        return self._desk

    def close(self) -> None:
        """Close the present company."""
        if self._desk is not None:
            self._desk.close()
        if self._process is not None:
            self._process.__exit__(None, None, None)


class Killer:
    """Plays one journey again and again, and kills it at another point each time."""

    def __init__(self, journey: Journey, folder: Path) -> None:
        self._journey = journey
        self._folder = folder
        self._database = folder / "vermilion.sqlite"
        self._template = folder / "template.sqlite"
        self._points = Points()
        self._companies = Companies(journey, folder)
        self._count = 0
        self._transitions: tuple[tuple[str | None, str, str], ...] = ()
        sender = EventSender.model_validate({"secret": SECRET, "login": SERVICE_LOGIN})
        settings = Settings(database=f"sqlite:///{self._database}", event_senders={"company": sender})
        self._here = Installation(settings, Parts(crash_points=self._points))
        self._prepare()

    def close(self) -> None:
        """Close the company."""
        self._companies.close()

    def _prepare(self) -> None:
        """Make the database that every run begins with, and play once in this process: forks then know definitions."""
        with self._here as here:
            here.seed(DEMO_PEOPLE)
            if not self._journey.deploys:
                here.deploy(here.actor(DEPLOYER_LOGIN), shipped_process(PROCUREMENT))
        shutil.copyfile(self._database, self._template)
        quiet = replace(JOURNEYS["plain"], keys_on=self._journey.keys_on, deploys=self._journey.deploys)
        self._play(self._order(faults=False), quiet)

    # --- runs ----------------------------------------------------------------------------------------------------

    def points_passed(self) -> Counter[str]:
        """Play without a kill, and return every point that is passed, with how often.

        Raises
        ------
        JourneyFailed
            When it does not end as the journey says.
        """
        order = self._order()
        first = self._journey.killed_before
        wrong = [] if first is None else self._killed(order, first)
        wrong += self._ended(order, report=True)
        case, more = self._judged(order)
        if case is not None:
            self._transitions = case.transitions
        more = [each for each in more if each != _OTHER_WAY]
        if wrong or more:
            raise JourneyFailed(f"{self._journey.name}: {'; '.join([*wrong, *more])}")
        passed: dict[str, int] = json.loads((order.folder / "passed.json").read_text())
        if not self._journey.only_marks:
            return Counter(passed)
        return Counter({point: min(count, 2) for point, count in passed.items() if point in self._journey.marks})

    def run(self, point: str, number: int) -> Run:
        """Kill a purchase at a point, start again, and judge."""
        began = time.monotonic()
        order = self._order()
        first = self._journey.killed_before
        wrong = [] if first is None else self._killed(order, first)
        wrong += self._killed(order, Target(point=point, number=number))
        wrong += self._ended(order)
        wrong += self._judged(order)[1]
        seconds = round(time.monotonic() - began, 3)
        return Run(journey=self._journey.name, point=point, number=number, wrong=tuple(wrong), seconds=seconds)

    def _order(self, *, faults: bool = True) -> Order:
        """Return what is bought next, on a fresh database."""
        self._count += 1
        for file in self._folder.glob(f"{self._database.name}*"):
            file.unlink()
        shutil.copyfile(self._template, self._database)
        material_id = self._companies.material()
        for operation, name, count in self._journey.faults if faults else ():
            self._companies.desk.fault(operation, name, count, self._journey.seconds)
        folder = self._folder / f"run-{self._count}"
        folder.mkdir()
        return Order(material_id=material_id, business_key=f"RISK-{self._count}", folder=folder)

    def _killed(self, order: Order, at: Target) -> list[str]:
        status = self._fork(order, at)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            return []
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            return [f"{at.point}#{at.number} was never passed"]
        return [f"before {at.point}#{at.number}: {self._last_words(order, status)}"]

    def _ended(self, order: Order, *, report: bool = False) -> list[str]:
        status = self._fork(order, None, report=report)
        return [] if status == 0 else [f"after the new start: {self._last_words(order, status)}"]

    @staticmethod
    def _last_words(order: Order, status: int) -> str:
        file = order.folder / "error.txt"
        return file.read_text() if file.exists() else f"it ended with status {status}"

    def _fork(self, order: Order, at: Target | None, *, report: bool = False) -> int:
        """Play in a process of its own, and return how it ended, as ``os.wait`` says it."""
        process = os.fork()
        if process:
            return os.waitpid(process, 0)[1]
        code = 1
        try:
            signal.alarm(_PATIENCE_SECONDS)
            self._points.at = at
            self._points.passed.clear()
            self._play(order, self._journey)
            if report:
                (order.folder / "passed.json").write_text(json.dumps(self._points.passed))
            code = 0
        except BaseException:
            (order.folder / "error.txt").write_text(traceback.format_exc())
        finally:
            os._exit(code)

    def _play(self, order: Order, journey: Journey) -> None:
        with self._here as here:
            purchase = Purchase(here, self._companies.reach, journey, order, self._points)
            try:
                purchase.play()
            finally:
                purchase.close()

    def _judged(self, order: Order) -> tuple[Case | None, list[str]]:
        """Return our books of a purchase, and everything that is wrong with it."""
        foreign = Foreign.of(self._companies.desk.ledger())
        cases = read_cases(f"sqlite:///{self._database}")
        if len(cases) != 1:
            return None, [f"there are {len(cases)} instances"]
        case = cases[0]
        wrong = [f"{each.kind}: {each.what}" for each in judge(cases, foreign)]
        if case.instance["business_status"] != self._journey.ends:
            wrong.append(f"it ended in {case.instance['business_status']}, not in {self._journey.ends}")
        statuses = tuple(each["status"] for each in foreign.documents_of(order.business_key))
        if statuses != self._journey.document_statuses:
            wrong.append(f"documents: {statuses}, not {self._journey.document_statuses}")
        if case.transitions != self._transitions:
            wrong.append(_OTHER_WAY)
        return case, wrong


_OTHER_WAY = "other transitions than without a kill"


def pairs_of(passed: Counter[str]) -> list[tuple[str, int]]:
    """Return each point with each of its passings."""
    return [(point, number) for point, count in passed.items() for number in range(1, count + 1)]


def sample_of(passed: Counter[str], journey: Journey) -> list[tuple[str, int]]:
    """Return every passing of the points that a journey is there for, and one passing of each other point."""
    dice = random.Random(journey.name)
    chosen: list[tuple[str, int]] = []
    for point, count in passed.items():
        numbers = range(1, count + 1) if point in journey.marks else [dice.randint(1, count)]
        chosen.extend((point, number) for number in numbers)
    return chosen


def kill_everywhere(
    journey: Journey, folder: Path, *, sample: bool, part: tuple[int, int], done: frozenset[str] = frozenset()
) -> Iterator[Run | Counter[str]]:
    """Yield first the points that are passed, then each run of this part but those that are done already."""
    killer = Killer(journey, folder)
    try:
        passed = killer.points_passed()
        yield passed
        pairs = sample_of(passed, journey) if sample else pairs_of(passed)
        number, count = part
        for point, passing in pairs[number::count]:
            if f"{point}#{passing}" not in done:
                yield killer.run(point, passing)
    finally:
        killer.close()


def main() -> int:
    """Print the points, then each run. Exit code 1 when something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.promises.crash_worker", description=main.__doc__)
    parser.add_argument("--journey", choices=tuple(JOURNEYS), required=True)
    parser.add_argument("--folder", type=Path, required=True, help="an empty folder for databases")
    parser.add_argument("--sample", action="store_true", help="not every passing of every point")
    parser.add_argument("--part", default="0/1", help="NUMBER/COUNT: every COUNT-th run, from NUMBER on")
    parser.add_argument("--done", type=Path, help="a file with runs to leave out, POINT#NUMBER on each line")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    number, count = given.part.split("/")
    done = frozenset(given.done.read_text().split()) if given.done else frozenset[str]()
    is_wrong = False
    for each in kill_everywhere(
        JOURNEYS[given.journey], given.folder, sample=given.sample, part=(int(number), int(count)), done=done
    ):
        is_wrong |= isinstance(each, Run) and bool(each.wrong)
        line = {"points": each} if isinstance(each, Counter) else asdict(each)
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
