"""Ids for everything this process makes, each greater than the ones before it."""

from __future__ import annotations

from engine.store.new_ids import NewIds

new_id = NewIds()
