"""Declared searchable fields of instances (``process.yaml``: searchable)."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, insert, select

from engine.store.statements import Change, Query, before, limit, same
from engine.store.tables import business_field

_OF_FIELD = same(business_field, "tenant_id", "workflow_type", "name")

INSERT = Change("business_field.insert", "Store searchable values of an instance.", insert(business_field))
DELETE_OF_INSTANCE = Change(
    "business_field.delete_of_instance",
    "Forget the searchable values of an instance. Parameters: tenant_id, workflow_id.",
    delete(business_field).where(*same(business_field, "tenant_id", "workflow_id")),
)
WITH_VALUE = Query(
    "business_field.with_value",
    "Instances with a value, the newest first. Parameters: tenant_id, workflow_type, name, value, before, limit.",
    select(business_field.c.workflow_id)
    .where(*_OF_FIELD, *same(business_field, "value"), before(business_field.c.workflow_id))
    .order_by(business_field.c.workflow_id.desc())
    .limit(limit()),
    str,
)
WITH_PREFIX = Query(
    "business_field.with_prefix",
    "Instances whose value begins with a text, by value. Parameters: tenant_id, workflow_type, name, low, high, limit;"
    " low and high from prefix_range.",
    select(business_field.c.workflow_id)
    .where(
        *_OF_FIELD,
        business_field.c.value >= bindparam("low", type_=business_field.c.value.type),
        business_field.c.value < bindparam("high", type_=business_field.c.value.type),
    )
    .order_by(business_field.c.value, business_field.c.workflow_id)
    .limit(limit()),
    str,
)


def prefix_range(prefix: str) -> tuple[str, str]:
    """Return the half-open range of texts that begin with ``prefix``, in the order of their bytes."""
    return prefix, prefix + "\U0010ffff"
