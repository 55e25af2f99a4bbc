"""A calculator with the view ids of AOSP's calculator."""

from collections.abc import Mapping
from decimal import Context, Decimal, DecimalException, Overflow
from typing import ClassVar

from ..packages.app import Activity, App
from ..views.drawing import theme
from ..views.drawing.theme import Color
from ..views.layout import Column, Grid, Row
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, Text

PRECISION = Context(prec=28, Emax=9999, Emin=-9999, traps=[Overflow])
LONGEST = 200
"""The limit of characters in a formula; further keys have no effect."""
DIVIDED_BY_ZERO = "Can't divide by 0"

KEYS = (
    ("C", "clr", "clear"),
    ("(", "lparen", "left parenthesis"),
    (")", "rparen", "right parenthesis"),
    ("÷", "op_div", "divide"),
    ("7", "digit_7", None),
    ("8", "digit_8", None),
    ("9", "digit_9", None),
    ("×", "op_mul", "multiply"),
    ("4", "digit_4", None),
    ("5", "digit_5", None),
    ("6", "digit_6", None),
    ("−", "op_sub", "minus"),
    ("1", "digit_1", None),
    ("2", "digit_2", None),
    ("3", "digit_3", None),
    ("+", "op_add", "plus"),
    ("0", "digit_0", None),
    (".", "dec_point", "point"),
    ("⌫", "del", "delete"),
    ("=", "eq", "equals"),
)


class BadFormula(Exception):
    """The formula is invalid. The display shows the message."""


def compute(formula: str) -> Decimal:
    """Evaluate a formula with the usual precedence; closing parentheses at the end may be
    missing."""
    value, rest = _sum(formula)
    if rest:
        raise BadFormula("Error")
    return value


def _sum(rest: str) -> tuple[Decimal, str]:
    value, rest = _product(rest)
    while rest and rest[0] in "+−":
        other, after = _product(rest[1:])
        try:
            value = (PRECISION.add if rest[0] == "+" else PRECISION.subtract)(value, other)
        except DecimalException:
            raise BadFormula("Error") from None
        rest = after
    return value, rest


def _product(rest: str) -> tuple[Decimal, str]:
    value, rest = _factor(rest)
    while rest and rest[0] in "×÷(":
        sign = rest[0]
        other, after = _factor(rest if sign == "(" else rest[1:])
        if sign == "÷" and not other:
            raise BadFormula(DIVIDED_BY_ZERO)
        try:
            value = (PRECISION.divide if sign == "÷" else PRECISION.multiply)(value, other)
        except DecimalException:
            raise BadFormula("Error") from None
        rest = after
    return value, rest


def _factor(rest: str) -> tuple[Decimal, str]:
    if rest.startswith("−"):
        value, rest = _factor(rest[1:])
        return -value, rest
    if rest.startswith("("):
        value, rest = _sum(rest[1:])
        return value, rest[1:] if rest.startswith(")") else _no_more(rest)
    end = 0
    while end < len(rest) and rest[end] in "0123456789.":
        end += 1
    digits = rest[:end]
    if not digits.strip(".") or digits.count(".") > 1:
        raise BadFormula("Error")
    return Decimal(digits), rest[end:]


def _no_more(rest: str) -> str:
    if rest:
        raise BadFormula("Error")
    return rest


def written(value: Decimal) -> str:
    """Format a number for the display: 12 digits, no trailing zeros."""
    value = Context(prec=12).plus(value)
    if not value:
        return "0"
    if -7 < value.adjusted() < 12:
        text = f"{value:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{value.normalize():E}".replace("E+", "E")
    return text.replace("-", "−")


class CalculatorScreen(Activity):
    name = ".Calculator"

    def content(self) -> View:
        self.typed = ""
        self.fresh = False
        """Whether the result of `=` is shown: a digit then starts a new formula, an operator
        continues."""
        self.formula = Text(
            "",
            size=34,
            face="Light",
            align="right",
            most_lines=2,
            id="formula",
            width=MATCH,
            height=0,
            weight=1,
            padding=(24, 4),
        )
        self.result = Text(
            "",
            size=52,
            face="Light",
            align="right",
            most_lines=1,
            id="result",
            width=MATCH,
            height=0,
            weight=1,
            padding=(24, 4),
            color=theme.ON_SURFACE_DIM,
        )
        self.heading = Text("Calculator", size=20, face="Medium", id="title", padding=(24, 14))
        self.display = Column(
            self.formula,
            self.result,
            id="display",
            width=MATCH,
            height=0,
            weight=1,
            content_gravity="bottom",
        )
        self.pad = Grid(
            *(self._key(*key) for key in KEYS),
            columns=4,
            gap=10,
            id="pad_numeric",
            padding=(16, 16),
        )
        self.screen = Column(background=theme.SURFACE, id="main_calculator")
        self.turned()
        return self.screen

    def turned(self) -> None:
        """Move the keys beside the display in landscape."""
        pad = self.pad
        if self.lying:
            pad.width, pad.height, pad.weight, pad.gap = 0, MATCH, 1.3, 8
            left = Column(self.heading, self.display, width=0, weight=1, height=MATCH)
            self.screen.replace(Row(left, pad, width=MATCH, height=0, weight=1))
        else:
            pad.width, pad.height, pad.weight, pad.gap = MATCH, 0, 1.9, 10
            self.screen.replace(self.heading, self.display, pad)

    def _key(self, sign: str, id: str, description: str | None) -> Button:
        ground: Color = theme.SURFACE_HIGH
        ink: Color = theme.ON_SURFACE
        if id == "eq":
            ground, ink = theme.PRIMARY, theme.ON_PRIMARY
        elif id.startswith("op_"):
            ground, ink = theme.PRIMARY_CONTAINER, theme.ON_PRIMARY_CONTAINER
        elif id in ("clr", "lparen", "rparen"):
            ground, ink = theme.TERTIARY_CONTAINER, theme.ON_TERTIARY_CONTAINER
        return Button(
            sign,
            lambda: self.press(sign),
            id=id,
            description=description,
            size=28,
            face="Regular",
            background=ground,
            color=ink,
            padding=0,
            width=MATCH,
            height=MATCH,
        )

    def press(self, sign: str) -> None:
        if sign == "C":
            self.typed, self.fresh = "", False
        elif sign == "⌫":
            self.typed, self.fresh = self.typed[:-1], False
        elif sign == "=":
            self._equals()
            return
        else:
            if self.fresh:
                shown = self.result.text or ""
                goes_on = sign in "+−×÷" and "E" not in shown and shown[-1:].isdigit()
                self.typed = shown if goes_on else ""
                self.fresh = False
            self._take(sign)
        self.formula.text = self.typed
        self.result.color = theme.ON_SURFACE_DIM
        self.result.text = self._preview()

    def _take(self, sign: str) -> None:
        if len(self.typed) >= LONGEST:
            return
        if sign in "+×÷":
            # An operator replaces the operator before it. No formula begins with an operator.
            self.typed = self.typed.rstrip("+−×÷")
            if not self.typed or self.typed.endswith("("):
                return
        elif sign == "−":
            self.typed = self.typed.rstrip("+−")
        elif sign == ".":
            number = self.typed
            while number and number[-1].isdigit():
                number = number[:-1]
            if number.endswith("."):
                return
        elif sign == ")" and self.typed.count("(") <= self.typed.count(")"):
            return
        self.typed += sign

    def _preview(self) -> str:
        if not any(sign in self.typed[1:] for sign in "+−×÷("):
            return ""
        try:
            return written(compute(self.typed))
        except BadFormula:
            return ""

    def _equals(self) -> None:
        if not self.typed:
            return
        try:
            self.result.text = written(compute(self.typed))
            self.result.color = theme.ON_SURFACE
            self.app.log("D", "Calculator", f"{self.typed} = {self.result.text}")
        except BadFormula as fault:
            self.result.color = theme.ERROR
            self.result.text = str(fault)
            self.app.log("W", "Calculator", f"{self.typed}: {fault}")
        self.fresh = True


class Calculator(App):
    package, label = "com.android.calculator2", "Calculator"
    version, version_code, system = "9.0", 90, True
    main = ".Calculator"
    activities: ClassVar[Mapping[str, type[Activity]]] = {".Calculator": CalculatorScreen}
    icon, color = "calculator", (11, 87, 208)
