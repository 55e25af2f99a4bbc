"""The table of all parsers that read what others wrote."""

from . import (
    apk_targets,
    http_targets,
    json_targets,
    printed_targets,
    toml_targets,
    uri_targets,
    video_targets,
    web_targets,
    wire_targets,
)
from .trial import Target

TARGETS: tuple[Target, ...] = (
    *wire_targets.TARGETS,
    *http_targets.TARGETS,
    *apk_targets.TARGETS,
    *printed_targets.TARGETS,
    *json_targets.TARGETS,
    *toml_targets.TARGETS,
    *uri_targets.TARGETS,
    *video_targets.TARGETS,
    *web_targets.TARGETS,
)


def shares(count: int) -> dict[str, int]:
    """Divide so many cases among the targets, at least one for each."""
    whole = sum(target.share for target in TARGETS)
    return {target.name: max(1, -(-count * target.share // whole)) for target in TARGETS}
