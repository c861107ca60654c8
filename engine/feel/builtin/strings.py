"""String functions; positions count code points from 1 (DMN 1.5, 10.3.4.3)."""

from __future__ import annotations

from decimal import Decimal

from engine.feel import patterns
from engine.feel.builtin.registry import builtin
from engine.feel.errors import Fault
from engine.feel.numbers import to_index
from engine.feel.run import Run
from engine.feel.values import Value


@builtin("substring", "string: string, start position: number, length?: number")
def substring(run: Run, string: str, start: Decimal, length: Decimal | None = None) -> Value:
    """Return a part of a string, counted from its end for a negative start. Raises Fault for a place outside."""
    first = to_index(start)
    if first == 0 or abs(first) > len(string):
        raise Fault(f"there is no position {first} in a string of {len(string)}")
    first = first - 1 if first > 0 else first + len(string)
    if length is None:
        return string[first:]
    if to_index(length) < 1:
        raise Fault("the length is not positive")
    return string[first : first + to_index(length)]


@builtin("string length", "string: string")
def string_length(run: Run, string: str) -> Value:
    """Return the number of code points."""
    return Decimal(len(string))


@builtin("upper case", "string: string")
def upper_case(run: Run, string: str) -> Value:
    """Return the string in upper case."""
    return run.worded(string.upper())


@builtin("lower case", "string: string")
def lower_case(run: Run, string: str) -> Value:
    """Return the string in lower case."""
    return run.worded(string.lower())


@builtin("substring before", "string: string, match: string")
def substring_before(run: Run, string: str, match: str) -> Value:
    """Return what stands before the first match, the empty string when there is none."""
    return string.partition(match)[0] if match and match in string else ""


@builtin("substring after", "string: string, match: string")
def substring_after(run: Run, string: str, match: str) -> Value:
    """Return what stands after the first match, the empty string when there is none."""
    return string.partition(match)[2] if match else string


@builtin("contains", "string: string, match: string")
def contains(run: Run, string: str, match: str) -> Value:
    """Return whether the string contains the match."""
    return match in string


@builtin("starts with", "string: string, match: string")
def starts_with(run: Run, string: str, match: str) -> Value:
    """Return whether the string begins with the match."""
    return string.startswith(match)


@builtin("ends with", "string: string, match: string")
def ends_with(run: Run, string: str, match: str) -> Value:
    """Return whether the string ends with the match."""
    return string.endswith(match)


@builtin("matches", "input: string, pattern: string, flags?: string")
def matches(run: Run, text: str, pattern: str, flags: str | None = None) -> Value:
    """Return whether the pattern matches somewhere in the input. Raises Fault for a bad pattern."""
    return patterns.matches(text, pattern, flags or "")


@builtin("replace", "input: string, pattern: string, replacement: string, flags?: string")
def replace(run: Run, text: str, pattern: str, replacement: str, flags: str | None = None) -> Value:
    """Return the input with all matches replaced. Raises Fault for a bad pattern or replacement."""
    return run.worded(patterns.replace(text, pattern, replacement, flags or "", run))


@builtin("split", "string: string, delimiter: string")
def split(run: Run, string: str, delimiter: str) -> Value:
    """Return the parts between the matches of a pattern. Raises Fault for a bad pattern."""
    return run.sized(list(patterns.split(string, delimiter)))


@builtin("string join", "list: list, delimiter?: string, prefix?: string, suffix?: string")
def string_join(
    run: Run, items: list[Value], delimiter: str | None = None, prefix: str | None = None, suffix: str | None = None
) -> Value:
    """Return the strings of a list joined, null left out. Raises Fault for an item that is no string."""
    texts: list[str] = []
    for item in items:
        if item is None:
            continue
        if not isinstance(item, str):
            raise Fault("the list holds more than strings")
        texts.append(item)
    between = delimiter or ""
    return run.worded((prefix or "") + between.join(texts) + (suffix or ""))
