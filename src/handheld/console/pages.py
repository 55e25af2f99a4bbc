"""What the pages for tokens, settings, apps and the doctor ask for."""

from collections.abc import Sequence

from . import apps_page, doctor_page, settings_page, storage_page, tokens_page
from .desk import Desk
from .routes import Route


def routes(desk: Desk) -> Sequence[Route]:
    return (
        *tokens_page.routes(desk),
        *settings_page.routes(desk),
        *storage_page.routes(desk),
        *apps_page.routes(desk),
        *doctor_page.routes(desk),
    )
