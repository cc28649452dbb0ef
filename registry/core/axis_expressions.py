"""The expressions of derived axes: `(hidden_size + 127) // 128`.

Integers, axis names, signs, + - * ** % // /, parentheses, binding as in Python: // floors, / has to divide evenly.
Nothing else, so that no expression needs a sandbox.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_SYMBOL = re.compile(r" *([0-9]+|[a-z][a-z0-9_]*|//|\*\*|[-+*/%()])")
_NEGATION = "~"  # how a sign stands in postfix order, where "-" is the difference
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "%": 2, "//": 2, "/": 2, _NEGATION: 3, "**": 4}
_OPERATORS = {*_PRECEDENCE, ")"} - {_NEGATION}  # what may follow an operand
_LARGEST_POWER = 64  # bits; no integer that a document may hold has as many


class ExpressionError(ValueError):
    """An expression that can't be read, or not be evaluated for these axes."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression, in postfix order."""

    postfix: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(symbol for symbol in self.postfix if symbol[0].isalpha())

    def evaluate(self, axes: Mapping[str, int]) -> int:
        """Compute the value. Raises ExpressionError for a name without value and for division by zero."""
        stack: list[int] = []
        for symbol in self.postfix:
            if symbol == _NEGATION:
                stack.append(-stack.pop())
            elif symbol in _PRECEDENCE:
                right = stack.pop()
                stack.append(_apply(symbol, stack.pop(), right))
            elif symbol.isdigit():
                stack.append(int(symbol))
            elif symbol in axes:
                stack.append(axes[symbol])
            else:
                raise ExpressionError(f"axis {symbol} has no value")
        return stack.pop()


def parse(text: str) -> Expression:
    """Parse an expression (shunting-yard). Raises ExpressionError saying what was expected where."""
    postfix: list[str] = []
    waiting: list[str] = []  # operators and open parentheses
    wants_operand = True
    for symbol in _symbols(text):
        if wants_operand and symbol in ("+", "-"):
            if symbol == "-":
                waiting.append(_NEGATION)
            continue
        is_operand = symbol == "(" or symbol not in _OPERATORS
        if is_operand != wants_operand:
            raise ExpressionError(
                f"expected {'a number or a name' if wants_operand else 'an operator'}, found {symbol}"
            )
        if symbol == "(":
            waiting.append(symbol)
        elif symbol == ")":
            while waiting and waiting[-1] != "(":
                postfix.append(waiting.pop())
            if not waiting:
                raise ExpressionError("a parenthesis is closed that was not opened")
            waiting.pop()
        elif symbol in _PRECEDENCE:
            while waiting and _binds_first(waiting[-1], symbol):
                postfix.append(waiting.pop())
            waiting.append(symbol)
            wants_operand = True
        else:
            postfix.append(symbol)
            wants_operand = False
    if wants_operand:
        raise ExpressionError("ends where a number or a name was expected")
    if "(" in waiting:
        raise ExpressionError("a parenthesis is not closed")
    return Expression((*postfix, *reversed(waiting)))


def _binds_first(waiting: str, symbol: str) -> bool:
    """Whether an operator that waits is applied before this one; powers are taken from the right."""
    earlier, later = _PRECEDENCE.get(waiting, 0), _PRECEDENCE[symbol]
    return earlier > later or (earlier == later and symbol != "**")


def _symbols(text: str) -> list[str]:
    symbols: list[str] = []
    at = 0
    while at < len(text.rstrip(" ")):
        match = _SYMBOL.match(text, at)
        if match is None:
            raise ExpressionError(f"can't read {text[at:].strip(' ')[:20]!r}")
        symbols.append(match[1])
        at = match.end()
    return symbols


def _apply(operator: str, left: int, right: int) -> int:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "**":
            return _power(left, right)
    if right == 0:
        raise ExpressionError("divides by zero")
    if operator == "/" and left % right:
        raise ExpressionError(f"{left} / {right} is not a whole number")
    return left % right if operator == "%" else left // right


def _power(base: int, exponent: int) -> int:
    if exponent < 0 or (abs(base) > 1 and base.bit_length() * exponent > _LARGEST_POWER):
        raise ExpressionError(f"{base} ** {exponent} is not a whole number that an axis can have")
    return int(base**exponent)
