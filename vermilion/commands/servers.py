"""``vermilion run``, ``serve`` and ``worker``: processes that stay."""

from __future__ import annotations

import signal
import threading
from types import FrameType

import click

from vermilion.commands.context import Shared, with_shared
from vermilion.commands.output import say
from vermilion.hosting import WebServer, free_or_refused
from vermilion.logs import log_to_stderr
from vermilion.workplace import Ports, Workplace


def _until_told_to_stop() -> None:
    """Sleep until SIGINT or SIGTERM."""
    ending = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ending.set()

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)
    ending.wait()


@click.command("run")
@click.option("--port", type=click.IntRange(1, 65535), default=8400, show_default=True, help="The API.")
@click.option("--erp-port", type=click.IntRange(1, 65535), default=8401, show_default=True)
@click.option("--wms-port", type=click.IntRange(1, 65535), default=8402, show_default=True)
@click.option("--mes-port", type=click.IntRange(1, 65535), default=8403, show_default=True)
@click.option("--verbose", is_flag=True, help="Log every step on the error stream.")
@with_shared
def run_command(_shared: Shared, port: int, erp_port: int, wms_port: int, mes_port: int, verbose: bool) -> None:
    """Start everything on this machine: sandbox company, workers and API on SQLite, and a purchase that waits."""
    log_to_stderr(is_verbose=verbose)
    ports = Ports(api=port, erp=erp_port, wms=wms_port, mes=mes_port)
    with Workplace(ports, say) as workplace:
        workplace.open()
        _until_told_to_stop()
        say("\nStopping …")


@click.command("serve")
@click.option("--verbose", is_flag=True)
@with_shared
def serve_command(shared: Shared, verbose: bool) -> None:
    """Serve the API of an installation; workers run apart (`vermilion worker`)."""
    log_to_stderr(is_verbose=verbose)
    settings = shared.settings()
    free_or_refused(settings.host, settings.port, option="the setting `port`")
    with (
        shared.installation() as here,
        WebServer(here.application(), host=settings.host, port=settings.port) as server,
    ):
        say(f"Serving {server.url}. Stop with Ctrl-C.")
        _until_told_to_stop()


@click.command("worker")
@click.option("--verbose", is_flag=True)
@with_shared
def worker_command(shared: Shared, verbose: bool) -> None:
    """Do the work of an installation: jobs, timers, outgoing messages. Any number may run."""
    log_to_stderr(is_verbose=verbose)
    with shared.installation() as here:
        worker = here.worker()
        worker.start()
        say(f"Working as {worker.owner}. Stop with Ctrl-C: what runs is finished first.")
        _until_told_to_stop()
