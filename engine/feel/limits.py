"""The bounds of one expression: none of them is reached by an expression that a person wrote and can read."""

from __future__ import annotations

#: Characters of one expression.
TEXT_LENGTH = 65_536

#: Nested brackets, operators and conditionals; also the nesting of values.
DEPTH = 100

#: Iterations, calls and compared or copied items of one evaluation.
STEPS = 500_000

#: Steps that one call counts for.
STEPS_OF_A_CALL = 4

#: Items of one list, entries of one context.
LIST_SIZE = 100_000

#: Characters of one string.
STRING_LENGTH = 1_000_000

#: Function calls inside function calls.
CALL_DEPTH = 100

#: Digits of a number literal and of a text that becomes a number.
NUMBER_LENGTH = 4_000

#: Reasons kept of one evaluation.
REASONS = 50
