"""The names that Android's versions and this phone's builds go by."""

_RELEASES = {26: "8.0.0", 27: "8.1.0", 28: "9", 29: "10", 30: "11", 31: "12", 32: "12"}


def release(api: int) -> str:
    """`14` for API level 34."""
    return _RELEASES.get(api, str(api - 20))


def build_id(api: int) -> str:
    return f"HANDHELD.{api}.001"
