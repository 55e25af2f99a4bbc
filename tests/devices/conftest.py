"""Programs that own phones run in a home folder as those of the command line do."""

from cli.conftest import home

__all__ = ["home"]
