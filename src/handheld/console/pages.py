"""The routes of the pages for tokens, settings, storage, apps, kept steps and the doctor."""

from collections.abc import Sequence

from . import apps_page, doctor_page, settings_page, steps_page, storage_page, tokens_page
from .context import ConsoleContext
from .routes import Route


def routes(context: ConsoleContext) -> Sequence[Route]:
    return (
        *tokens_page.routes(context),
        *settings_page.routes(context),
        *storage_page.routes(context),
        *apps_page.routes(context),
        *steps_page.routes(context),
        *doctor_page.routes(context),
    )
