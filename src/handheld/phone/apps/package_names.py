"""Validation of package names from callers."""

from ...driver.packages import PACKAGE
from ...errors import InvalidParams
from ...screen.text import brief


def check_package(package: str, parameter: str = "package_id") -> None:
    """Raises InvalidParams for an invalid name: it may become a word of a command line."""
    if not PACKAGE.fullmatch(package):
        raise InvalidParams(
            f"Parameter '{parameter}' must be a package such as com.example.app, got:"
            f" '{brief(package)}'"
        )
