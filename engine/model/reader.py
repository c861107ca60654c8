"""Reads the files of a process into a ``Definition``: every problem found at once, or a graph that is fit to run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from engine.decision.definitions import DecisionModel
from engine.model import rules
from engine.model.bpmn_document import Document, Library, collect_library, place_of, read_document
from engine.model.bpmn_scopes import DrawnScope, ScopeReader
from engine.model.check_form_texts import check_form_texts, is_form_text
from engine.model.decision_reader import read_decision_file
from engine.model.definition import Definition
from engine.model.drawn_checks import check_drawn
from engine.model.findings import DefinitionRefused, Findings, Place
from engine.model.form_reader import read_form
from engine.model.forms import Form
from engine.model.graph import FlowNode, NodeKind, Scope
from engine.model.normalise import normalise
from engine.model.settings import ProcessSettings
from engine.model.settings_reader import read_settings, read_texts

SETTINGS_PATH = "process.yaml"
#: Characters of the id of a process or a flow node: it is the key of a step.
LONGEST_ID = 120
_FORM_PATH = re.compile(r"forms/([A-Za-z0-9_-]+)\.form")
_TEXT_PATH = re.compile(r"i18n/(en|zh)\.yaml")
_TOP_LEVEL = re.compile(r"[^/]+\.(bpmn|dmn)")
#: Folders whose files do not make the version: they have versions of their own, or change nothing that runs.
_OTHER_FOLDERS = ("scenarios/", "ai/", "pipelines/")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What could be read, whatever was wrong.

    Attributes
    ----------
    definition
        None when no process could be read at all.
    has_settings
        Whether ``process.yaml`` was there and could be read.
    places
        Where each node and flow stands, by its id in the graph.
    """

    definition: Definition | None
    findings: Findings
    has_settings: bool = False
    places: Mapping[str, Place] = field(default_factory=dict[str, Place])


def read_definition(files: Mapping[str, bytes]) -> Definition:
    """Return the process that these files make, keyed by their path inside the process folder.

    Raises
    ------
    DefinitionRefused
        With every problem of every file.
    """
    reading = read_leniently(files)
    if reading.definition is None or reading.findings.has_errors:
        raise DefinitionRefused(reading.findings.sorted())
    return reading.definition


def read_process(xml: bytes, path: str = "process.bpmn") -> Definition:
    """Return the process of one BPMN file without a ``process.yaml``: nothing beside the drawing is declared.

    Raises
    ------
    DefinitionRefused
        With every problem of the file.
    """
    reading = read_drawing({path: xml})
    if reading.definition is None or reading.findings.has_errors:
        raise DefinitionRefused(reading.findings.sorted())
    return reading.definition


def read_processes(files: Mapping[str, bytes]) -> Mapping[str, Definition]:
    """Return each executable process of some BPMN files as a definition of its own, by process id.

    Raises
    ------
    DefinitionRefused
        With every problem of the files.
    """
    reading = read_drawing(files)
    if reading.definition is None or reading.findings.has_errors:
        raise DefinitionRefused(reading.findings.sorted())
    whole = reading.definition
    every = {whole.process.scope_id: whole.process, **whole.called}
    return {
        key: replace(
            whole,
            settings=_bare_settings(key),
            process=scope,
            called={other: called for other, called in every.items() if other != key},
            digest=hashlib.sha256(f"{whole.digest}:{key}".encode()).hexdigest(),
        )
        for key, scope in every.items()
    }


def digest(files: Mapping[str, bytes]) -> str:
    """Return the content digest of a version: SHA-256 over BPMN, DMN, forms, ``process.yaml`` and texts, in hex."""
    sha = hashlib.sha256()
    for path in sorted(files):
        if is_part(path):
            for part in (path.encode(), files[path]):
                sha.update(len(part).to_bytes(8, "big"))
                sha.update(part)
    return sha.hexdigest()


def is_part(path: str) -> bool:
    """Whether a file of the process folder makes the version; scenarios, AI types and pipelines do not."""
    return path == SETTINGS_PATH or any(pattern.fullmatch(path) for pattern in (_TOP_LEVEL, _FORM_PATH, _TEXT_PATH))


# --- reading what can be read ------------------------------------------------------------------------------------


def read_leniently(files: Mapping[str, bytes]) -> Reading:
    """Read a process folder as far as it goes."""
    findings = Findings()
    settings: ProcessSettings | None = None
    if SETTINGS_PATH in files:
        settings = read_settings(files[SETTINGS_PATH], SETTINGS_PATH, findings)
    else:
        findings.add(rules.MISSING_FILE, Place(file=SETTINGS_PATH), path=SETTINGS_PATH)
    for path in files:
        if not is_part(path) and not path.startswith(_OTHER_FOLDERS):
            findings.add(rules.UNEXPECTED_FILE, Place(file=path), path=path)
    return _read(files, settings, findings)


def read_drawing(files: Mapping[str, bytes]) -> Reading:
    """Read BPMN files that have no ``process.yaml``, as far as it goes."""
    return _read(files, None, Findings())


def _read(files: Mapping[str, bytes], settings: ProcessSettings | None, findings: Findings) -> Reading:
    documents = [
        document
        for path in sorted(files)
        if path.endswith((".bpmn", ".xml"))
        if (document := read_document(files[path], path, findings)) is not None
    ]
    if not any(path.endswith((".bpmn", ".xml")) for path in files):
        findings.add(rules.MISSING_FILE, Place(file="process.bpmn"), path="process.bpmn")
    library = collect_library(documents)
    _check_ids_across(documents, findings)
    reader = ScopeReader(library, findings)
    scopes = _scopes(documents, reader, library, findings)
    places = _normalised_places(scopes.values(), reader.places)
    main = _main_process(scopes, settings, documents, places, findings)
    if main is None:
        return Reading(definition=None, findings=findings, places=places)
    called = {key: scope for key, scope in scopes.items() if key != main}
    nodes: dict[str, FlowNode] = {node.element_id: node for scope in scopes.values() for node in every_node(scope)}
    forms = _forms(files, findings)
    definition = Definition(
        digest=digest(files),
        settings=settings or _bare_settings(main),
        process=scopes[main],
        called=called,
        decisions=_decisions(files, findings),
        forms=forms,
        texts=_texts(files, nodes, library, forms, findings),
        files=dict(files),
        nodes=nodes,
    )
    return Reading(definition=definition, findings=findings, has_settings=settings is not None, places=places)


def every_node(scope: Scope) -> Iterable[FlowNode]:
    """Go over the nodes of a scope and of all sub-processes in it."""
    for node in scope.nodes.values():
        yield node
        if node.inner is not None:
            yield from every_node(node.inner)


def every_scope(scope: Scope) -> Iterable[Scope]:
    """Go over a scope and all sub-processes in it."""
    yield scope
    for node in scope.nodes.values():
        if node.inner is not None:
            yield from every_scope(node.inner)


def _bare_settings(process_id: str) -> ProcessSettings:
    key = re.sub(r"[^a-z0-9_-]+", "-", process_id.lower()).lstrip("-_0123456789")[:60] or "process"
    return ProcessSettings(key=key, title={"en": process_id}, owner="")


def _check_ids_across(documents: Iterable[Document], findings: Findings) -> None:
    """Ids of processes and flow nodes are one namespace over all files: waits and steps are named by them."""
    seen: dict[str, str] = {}
    for document in documents:
        own: set[str] = set()
        for element in document.root.walk():
            is_node = element.is_bpmn() and (element.name in _NODE_NAMES or element.name == "process")
            identifier = element.get("id")
            if not is_node or not identifier or identifier in own:
                continue
            own.add(identifier)
            if len(identifier) > LONGEST_ID:
                place = replace(place_of(element, Place(file=document.path)), element_id=identifier[:40])
                findings.add(rules.LONG_ID, place, id=identifier[:40], length=len(identifier), limit=LONGEST_ID)
            if identifier in seen:
                place = place_of(element, Place(file=document.path))
                findings.add(rules.DUPLICATE_ID, place, id=identifier)
            seen[identifier] = document.path


_NODE_NAMES = frozenset(kind.value for kind in NodeKind)


def _scopes(
    documents: Iterable[Document], reader: ScopeReader, library: Library, findings: Findings
) -> dict[str, Scope]:
    drawn: dict[str, DrawnScope] = {}
    idle: list[Place] = []
    for document in documents:
        around = Place(file=document.path)
        for process in document.processes():
            place = place_of(process, around)
            if not process.get("id"):
                findings.add(rules.MISSING_ID, place, kind="process")
            elif process.get("isExecutable") == "false":
                idle.append(place)
            else:
                reader.places.setdefault(process.get("id"), place)
                drawn.setdefault(process.get("id"), reader.read(process, around))
    for place in idle:
        findings.add(rules.IDLE_PROCESS if drawn else rules.NOT_EXECUTABLE, place)
    if not drawn:
        for document in documents:
            if not document.processes():
                findings.add(rules.NO_PROCESS, Place(file=document.path, line=document.root.line))
    for each in drawn.values():
        check_drawn(each, reader.places, findings)
    taken = {*library.elements, *reader.places}
    scopes: dict[str, Scope] = {}
    for key, each in drawn.items():
        scopes[key] = normalise(each, taken)
        taken |= {node.element_id for node in every_node(scopes[key])}
        taken |= {flow_id for scope in every_scope(scopes[key]) for flow_id in scope.flows}
    return scopes


def _normalised_places(scopes: Iterable[Scope], drawn: Mapping[str, Place]) -> dict[str, Place]:
    places = dict(drawn)
    for scope in scopes:
        for node in every_node(scope):
            if node.element_id not in places and node.drawn_id in drawn:
                places[node.element_id] = drawn[node.drawn_id]
        for inner in every_scope(scope):
            for flow in inner.flows.values():
                if flow.flow_id not in places and flow.source in places:
                    places[flow.flow_id] = places[flow.source]
    return places


def _main_process(
    scopes: Mapping[str, Scope],
    settings: ProcessSettings | None,
    documents: list[Document],
    places: Mapping[str, Place],
    findings: Findings,
) -> str | None:
    """The process with the key as its id; else the only one that no call activity calls."""
    called = {node.called_process for scope in scopes.values() for node in every_node(scope) if node.called_process}
    roots = [key for key in scopes if key not in called]
    main = roots[0] if len(roots) == 1 or (roots and settings is None) else None
    if settings is not None and settings.key in scopes:
        main = settings.key
    elif main is None and scopes:
        path = documents[0].path if documents else "process.bpmn"
        key = settings.key if settings is not None else "process"
        findings.add(rules.MAIN_PROCESS_UNCLEAR, Place(file=path), processes=", ".join(sorted(scopes)), key=key)
        return next(iter(scopes))
    for key in roots:
        if key != main and settings is not None:
            findings.add(rules.NEVER_CALLED, places[key])
    return main


def _decisions(files: Mapping[str, bytes], findings: Findings) -> dict[str, DecisionModel]:
    decisions: dict[str, DecisionModel] = {}
    for path in sorted(files):
        if not (path.endswith(".dmn") and is_part(path)):
            continue
        model = read_decision_file(files[path], path, findings)
        for name in sorted(model.names) if model is not None else ():
            other = decisions.setdefault(name, model) if model is not None else None
            if other is not None and other is not model:
                findings.add(rules.DUPLICATE_DECISION, Place(file=path), decision=name, other=other.path)
    return decisions


def _forms(files: Mapping[str, bytes], findings: Findings) -> dict[str, Form]:
    forms: dict[str, Form] = {}
    for path in sorted(files):
        found = _FORM_PATH.fullmatch(path)
        if found is not None and (form := read_form(files[path], path, found[1], findings)) is not None:
            forms[found[1]] = form
    return forms


def _texts(
    files: Mapping[str, bytes],
    nodes: Mapping[str, FlowNode],
    library: Library,
    forms: Mapping[str, Form],
    findings: Findings,
) -> dict[str, Mapping[str, str]]:
    texts: dict[str, Mapping[str, str]] = {}
    paths: dict[str, str] = {}
    for path in sorted(files):
        found = _TEXT_PATH.fullmatch(path)
        if found is None:
            continue
        texts[found[1]] = read_texts(files[path], path, findings)
        paths[found[1]] = path
        for identifier in texts[found[1]]:
            if identifier not in nodes and identifier not in library.elements and not is_form_text(identifier):
                findings.add(rules.UNKNOWN_TEXT, Place(file=path), id=identifier)
    check_form_texts(forms, texts, paths, findings)
    return texts
