"""How the fate of a write whose answer was lost is looked up (W10)."""

from __future__ import annotations

from typing import Generic, TypeVar

from engine.contract.operation import Values

Document = TypeVar("Document", bound=Values)


class Lookup(Values):
    """Input of every reconcile operation.

    Attributes
    ----------
    sent_key
        The key under which the write was sent.
    arguments
        The write's own input as JSON, for systems that can only be searched by its content.
    """

    sent_key: str
    arguments: str


class Found(Values, Generic[Document]):
    """Output of every reconcile operation: ``Found[Requisition]`` for a write that answers with a ``Requisition``.

    Attributes
    ----------
    document
        The write's result as if its answer had arrived; None when no document was found.
    is_certain
        With ``document`` None: whether "not found" proves "not there". False hands the case to a person.
    is_void
        With a document: whether it stands no longer - refused or cancelled there - so that a new version of the
        intent may be sent beside it.
    """

    document: Document | None = None
    is_certain: bool = True
    is_void: bool = False
