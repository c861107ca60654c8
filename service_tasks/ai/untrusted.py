"""Texts that outsiders wrote: made harmless to read, bounded, and flagged by what they try.

Detection is a hint for the approver and nothing more. Safety rests on the risk floor, on the closed list of actions and
on the people who approve, none of which reads these texts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from pydantic import Field

from engine.contract import Values

#: Characters of one text that are passed on.
TEXT_LIMIT = 2_000

#: Zero-width, bidirectional and other format characters (Unicode category Cf) hide text from the person who reads it.
_HIDDEN = "Cf"

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "instruction_like_text",
        re.compile(
            r"disregard|ignore (?:all|any|the|your|previous)|you (?:must|should) (?:now )?(?:answer|say|report)"
            r"|answer (?:low|with)|finish with exactly|your instructions|word for word|add the field|to your answer"
            r"|list them here|other bidders|(?:in|inside) the summary"
            r"|vorgaben vergessen|anweisungen ignorieren|risiko als niedrig"
            r"|忽略.{0,6}(?:规则|指令|要求)|请.{0,4}批准|ignorez|ignora las",
            re.IGNORECASE,
        ),
    ),
    (
        "claimed_approval",
        re.compile(
            r"approv(?:al|ed)\b.{0,60}(?:granted|given|already|number)|already (?:been )?(?:approved|cleared)"
            r"|has been cleared|no further check|已(?:经)?批准|bereits genehmigt",
            re.IGNORECASE | re.DOTALL,
        ),
    ),
    (
        "delimiter_break",
        re.compile(r"</?\s*case_data|^\s*(?:system|assistant|developer)\s*:", re.IGNORECASE | re.MULTILINE),
    ),
    (
        "encoded_blob",
        re.compile(r"[A-Za-z0-9+/]{24,}={0,2}|(?:\\x[0-9a-f]{2}){8,}|(?:%[0-9a-f]{2}){8,}", re.IGNORECASE),
    ),
    ("url_in_text", re.compile(r"\b(?:https?|ftp|data|javascript):|www\.|!\[[^\]]*\]\(", re.IGNORECASE)),
)

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\b(?:https?|ftp|data|javascript):\S+|\bwww\.\S+", re.IGNORECASE)


class UntrustedText(Values):
    """A text as it came from outside; ``text_id`` says where from, for example ``supplier_note``."""

    text_id: str = Field(min_length=1, max_length=60)
    text: str = Field(max_length=10_000_000)


def harmless(given: UntrustedText) -> tuple[UntrustedText, tuple[str, ...]]:
    """Return the text as a model may read it, with the flags that its content raises.

    It is normalised (NFKC), freed of hidden and control characters, its angle brackets are escaped so that it cannot
    close the section it stands in, and it is cut to ``TEXT_LIMIT`` characters.
    """
    flags: list[str] = []
    # Cut before the costly work: a flood is not worth reading to its end. Normalising can lengthen a text.
    text = given.text[: 2 * TEXT_LIMIT]
    visible = "".join(
        each
        for each in unicodedata.normalize("NFKC", text)
        if each in "\n\t" or not unicodedata.category(each).startswith("C")
    )
    if any(unicodedata.category(each) == _HIDDEN for each in text):
        flags.append("hidden_characters")
    flags += [flag for flag, pattern in _PATTERNS if pattern.search(visible)]
    if len(given.text) > TEXT_LIMIT or len(visible) > TEXT_LIMIT:
        flags.append("input_truncated")
        visible = visible[:TEXT_LIMIT]
    escaped = visible.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return UntrustedText(text_id=given.text_id, text=escaped), tuple(flags)


def all_harmless(given: Iterable[UntrustedText]) -> tuple[tuple[UntrustedText, ...], tuple[str, ...]]:
    """Return all texts made harmless, with their flags, each once."""
    texts: list[UntrustedText] = []
    flags: dict[str, None] = {}
    for each in given:
        text, raised = harmless(each)
        texts.append(text)
        flags.update(dict.fromkeys(raised))
    return tuple(texts), tuple(flags)


def without_links(text: str) -> str:
    """Return a model's sentence without addresses; a link or picture keeps its label."""
    return _LINK.sub(lambda link: link[1] or "", text).strip()
