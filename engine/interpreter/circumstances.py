"""What an advance is given beside state and happening; the interpreter has no other source of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from engine.interpreter.limits import Limits
from engine.interpreter.scripting import ScriptRunner
from engine.model.definition import Definition


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """The version that runs, the script sandbox, the limits, the time and where ids come from."""

    definition: Definition
    scripts: ScriptRunner
    limits: Limits
    now: datetime
    new_id: Callable[[], str]
