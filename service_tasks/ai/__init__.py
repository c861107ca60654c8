"""AI steps: the port of the models, the deterministic analyst ``rules-v1``, and the operations that suggest."""

from __future__ import annotations

from service_tasks.ai.port import AIProvider, AIRequest, AIResult, AIStatus, Budget, Finding, Prompt, Schema
from service_tasks.ai.repair import ModelFault, RejectedAnswer, RepairingProvider, TextAnswer, TextModel
from service_tasks.ai.risk import build_operations
from service_tasks.ai.risk_floor import LEVELS, Level, SupplierFacts, graver, risk_floor
from service_tasks.ai.risk_report import Reason, RiskCase, RiskOpinion, RiskReport, facts_of
from service_tasks.ai.rules_v1 import RulesV1
from service_tasks.ai.untrusted import UntrustedText

__all__ = [
    "LEVELS",
    "AIProvider",
    "AIRequest",
    "AIResult",
    "AIStatus",
    "Budget",
    "Finding",
    "Level",
    "ModelFault",
    "Prompt",
    "Reason",
    "RejectedAnswer",
    "RepairingProvider",
    "RiskCase",
    "RiskOpinion",
    "RiskReport",
    "RulesV1",
    "Schema",
    "SupplierFacts",
    "TextAnswer",
    "TextModel",
    "UntrustedText",
    "build_operations",
    "facts_of",
    "graver",
    "risk_floor",
]
