"""Run the stand-in company in a process of its own: ``python -m sandbox --folder DIR``."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from datetime import date
from pathlib import Path
from types import FrameType

from sandbox.company import Company


def main() -> int:
    """Start the company, say in one line of JSON how to reach it, and run until SIGTERM or SIGINT.

    The line holds no secret; tokens stand in the file it names. Exit code 2 when a port is taken.
    """
    given = _arguments()
    try:
        company = Company(
            Path(given.folder),
            host=given.host,
            erp_port=given.erp_port,
            wms_port=given.wms_port,
            mes_port=given.mes_port,
            keys_on=not given.no_keys,
            confirmation=given.confirmation,
            confirm_after=given.confirm_after,
            late_after=given.late_after,
            search_lags=given.search_lags,
            events_url=given.events_url,
            events_secret=given.events_secret or os.environ.get("SANDBOX_EVENTS_SECRET"),
            latency=(given.latency[0] / 1000, given.latency[1] / 1000),
            today=given.today,
            copies=given.copies,
        )
    except OSError as error:
        sys.stderr.write(
            f"The company cannot open its systems: {error}. Choose other ports with --erp-port, --wms-port and"
            " --mes-port, or end what uses them.\n"
        )
        return 2
    ending = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ending.set()

    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, end)
    with company:
        urls = {name: reach.url for name, reach in company.reach.items()}
        sys.stdout.write(json.dumps({"ready": True, **urls, "company_file": str(company.file)}) + "\n")
        sys.stdout.flush()
        ending.wait()
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=main.__doc__)
    parser.add_argument("--folder", required=True, help="where the databases and company.json are kept")
    parser.add_argument("--host", default="127.0.0.1")
    for system in ("erp", "wms", "mes"):
        parser.add_argument(f"--{system}-port", type=int, default=0, help="0 takes a free port")
    parser.add_argument("--no-keys", action="store_true", help="the ERP ignores and forgets idempotency keys")
    parser.add_argument("--confirmation", choices=("at_once", "late", "never"), default="at_once")
    parser.add_argument("--confirm-after", type=float, default=0.2, help="seconds until it confirms at once")
    parser.add_argument("--late-after", type=float, default=None, help="seconds until it confirms late; else when told")
    parser.add_argument("--search-lags", action="store_true", help="new documents are found only after POST /index")
    parser.add_argument("--events-url", default=None, help="where signed events are posted")
    parser.add_argument("--events-secret", default=None, help="base64; better in SANDBOX_EVENTS_SECRET")
    parser.add_argument("--latency", type=float, nargs=2, default=(5.0, 30.0), metavar=("LEAST", "MOST"), help="ms")
    parser.add_argument("--today", type=date.fromisoformat, default=None, help="the company's first day, YYYY-MM-DD")
    parser.add_argument("--copies", type=int, default=0, help="so many further materials like MAT-001")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
