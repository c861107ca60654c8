"""What is open now, as Prometheus metrics; asked of the store when a scraper comes, never kept."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from engine.identity import Actor
from engine.runtime import Runtime


class OpenWork(Collector):
    """Instances, tasks, jobs, incidents and unknown outcomes of the tenant of ``actor``."""

    def __init__(self, runtime: Runtime, actor: Actor) -> None:
        self._runtime = runtime
        self._actor = actor

    def describe(self) -> Iterator[Metric]:
        """Describe nothing beforehand, so that registering asks no database."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Count once."""
        counts = self._runtime.counts(self._actor)
        instances = GaugeMetricFamily(
            "vermilion_instances",
            "Instances that are not finished.",
            labels=["workflow_type", "business_status", "execution_state"],
        )
        for labels, count in counts.instances.items():
            instances.add_metric(list(labels), count)
        yield instances
        tasks = GaugeMetricFamily("vermilion_open_tasks", "Tasks that wait for a person.", labels=["role"])
        for role, count in counts.tasks.items():
            tasks.add_metric([role], count)
        yield tasks
        waiting = GaugeMetricFamily(
            "vermilion_oldest_task_seconds", "How long the oldest open task has waited.", labels=["role"]
        )
        for role, seconds in counts.oldest_task_age.items():
            waiting.add_metric([role], seconds)
        yield waiting
        jobs = GaugeMetricFamily("vermilion_jobs", "Open jobs.", labels=["system", "status"])
        overdue = GaugeMetricFamily(
            "vermilion_oldest_due_job_seconds", "How long the oldest due job has waited.", labels=["system", "status"]
        )
        for backlog in counts.jobs:
            jobs.add_metric([backlog.system or "", backlog.status], backlog.count)
            overdue.add_metric([backlog.system or "", backlog.status], max(0.0, backlog.oldest_due_age))
        yield jobs
        yield overdue
        incidents = GaugeMetricFamily("vermilion_open_incidents", "Incidents that are not closed.", labels=["code"])
        for code, count in counts.incidents.items():
            incidents.add_metric([code], count)
        yield incidents
        yield GaugeMetricFamily(
            "vermilion_unknown_outcomes", "Calls whose outcome is not known.", value=counts.unknown_documents
        )


def registry_of(runtime: Runtime, actor: Actor) -> CollectorRegistry:
    """Return a registry of its own with everything that is measured here."""
    registry = CollectorRegistry()
    registry.register(OpenWork(runtime, actor))
    return registry
