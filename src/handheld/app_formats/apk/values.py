"""Typed values in Android's binary files, and their conversion to strings."""

import math
import struct
from typing import NamedTuple

from .binary import Binary
from .string_pool import StringPool

NULL = 0x00
REFERENCE = 0x01
ATTRIBUTE = 0x02
STRING = 0x03
FLOAT = 0x04
DIMENSION = 0x05
FRACTION = 0x06
DYNAMIC_REFERENCE = 0x07
DYNAMIC_ATTRIBUTE = 0x08
INT_DECIMAL = 0x10
INT_HEXADECIMAL = 0x11
BOOLEAN = 0x12
_FIRST_COLOR, _LAST_COLOR = 0x1C, 0x1F
_LAST_INT = 0x1F

_VALUE = struct.Struct("<HBBI")
_UNITS = ("px", "dip", "sp", "pt", "in", "mm")
_FRACTIONS = ("%", "%p")
_RADIX = (1 / (1 << 8), 1 / (1 << 15), 1 / (1 << 23), 1 / (1 << 31))


class Value(NamedTuple):
    type: int
    data: int
    """The stored value, unsigned."""
    text: str | None = None
    """The value of a string."""

    @property
    def reference(self) -> int | None:
        """The resource id that it refers to."""
        return self.data if self.type in (REFERENCE, DYNAMIC_REFERENCE) and self.data else None

    @property
    def integer(self) -> int | None:
        """The value of a number, boolean or colour; signed."""
        if INT_DECIMAL <= self.type <= _LAST_INT:
            return self.data - (1 << 32) if self.data >= 1 << 31 else self.data
        return None

    def coerce(self) -> str | None:
        """Convert like Android's `TypedValue.coerceToString`."""
        type, data = self.type, self.data
        if type == STRING:
            return self.text
        if type in (REFERENCE, DYNAMIC_REFERENCE):
            return f"@{data}"
        if type in (ATTRIBUTE, DYNAMIC_ATTRIBUTE):
            return f"?{data}"
        if type == FLOAT:
            return java_float(struct.unpack("<f", struct.pack("<I", data))[0])
        if type == DIMENSION:
            return java_float(self._complex()) + self._unit(_UNITS)
        if type == FRACTION:
            return java_float(_single(self._complex() * 100)) + self._unit(_FRACTIONS)
        if type == INT_HEXADECIMAL:
            return f"0x{data:x}"
        if type == BOOLEAN:
            return "true" if data else "false"
        if _FIRST_COLOR <= type <= _LAST_COLOR:
            return f"#{data:x}"
        integer = self.integer
        return None if integer is None else str(integer)

    def _complex(self) -> float:
        mantissa = self.data & 0xFFFFFF00
        signed = mantissa - (1 << 32) if mantissa >= 1 << 31 else mantissa
        return _single(signed * _RADIX[(self.data >> 4) & 3])

    def _unit(self, names: tuple[str, ...]) -> str:
        unit = self.data & 0xF
        return names[unit] if unit < len(names) else ""


def read_value(binary: Binary, at: int, strings: StringPool) -> Value:
    _, _, type, data = binary.unpack(_VALUE, at)
    return Value(type, data, strings.get(data) if type == STRING else None)


def java_float(number: float) -> str:
    """Format a 32-bit float in the fewest digits that identify it, like Java."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "-0.0" if math.copysign(1, number) < 0 else "0.0"
    shortest = next(
        text
        for digits in range(9)
        if _single(float(text := f"{number:.{digits}e}")) == number or digits == 8
    )
    mantissa, _, exponent = shortest.partition("e")
    sign, digits = ("-", mantissa[1:]) if number < 0 else ("", mantissa)
    digits, power = digits.replace(".", ""), int(exponent)
    if -3 <= power < 7:
        if power < 0:
            return f"{sign}0.{'0' * (-power - 1)}{digits}"
        digits = digits.ljust(power + 1, "0")
        return f"{sign}{digits[: power + 1]}.{digits[power + 1 :] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{power}"


def _single(number: float) -> float:
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
