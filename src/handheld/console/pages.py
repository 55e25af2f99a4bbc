"""What the pages for tokens, settings, apps and the doctor ask for."""

from collections.abc import Sequence

from .desk import Desk
from .routes import Route


def routes(desk: Desk) -> Sequence[Route]:
    return ()
