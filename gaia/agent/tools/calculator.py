"""Arithmetic, exactly and without running code."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

Number = int | float

LONGEST_EXPRESSION = 200
LARGEST_POWER_BITS = 4096
"""Results of `**` stay below 2**4096, so that no expression takes long."""

OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _rounded(number: Number) -> int:
    """To the nearest whole number as people do it: a half away from zero, not to the even one."""
    return int(Decimal(repr(number)).to_integral_value(ROUND_HALF_UP))


FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    "sqrt": math.sqrt,
    "abs": abs,
    "round": _rounded,
}


def calculate(expression: str) -> dict[str, str]:
    """Work out arithmetic.

    Args:
        expression: Numbers with + - * / // % ** ( ) sqrt abs round.
    """
    # Models give a bare number now and then.
    expression = str(expression)
    if len(expression) > LONGEST_EXPRESSION:
        return {"error": f"the expression is longer than {LONGEST_EXPRESSION} characters"}
    try:
        tree = ast.parse(expression.replace("^", "**").strip(), mode="eval")
        return {"result": _show(_value(tree.body))}
    except (ArithmeticError, ValueError, SyntaxError, RecursionError, MemoryError) as exc:
        return {"error": f"{expression!r} cannot be worked out: {exc}"}


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=bool()):
            raise ValueError("only numbers")
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left), _value(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](_value(left), _value(right))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](_value(argument))
    raise ValueError(f"{ast.unparse(node)} is not arithmetic")


def _power(base: Number, exponent: Number) -> Number:
    if abs(exponent) * math.log2(abs(base) + 2) > LARGEST_POWER_BITS:
        raise ValueError("the result is too large")
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError("the result is not a real number")
    return result


def _show(number: Number) -> str:
    if not math.isfinite(number):
        raise ValueError("the result is not a number")
    return str(number) if isinstance(number, int) else f"{number:.12g}"
