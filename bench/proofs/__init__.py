"""Proofs that are too long for every change. ``python -m bench.prove`` runs them."""

from __future__ import annotations

from collections.abc import Mapping

from bench.proofs.crashes import CRASHES
from bench.proofs.proof import Proof

PROOFS: Mapping[str, Proof] = {each.name: each for each in (CRASHES,)}

__all__ = ["PROOFS", "Proof"]
