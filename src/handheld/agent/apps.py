"""Finds an app by the name that a model gives it."""

from ..errors import ActionFailed
from ..phone import Phone
from ..ui.rows.words import clean, cut, fold

MOST_NEAR = 5


async def find_app(phone: Phone, name: str) -> tuple[str, str]:
    """Return the package and the quoted name of an app. Raises ActionFailed."""
    wanted, words = fold(name), cut(clean(name), 60)
    apps = await phone.driver.packages("all")
    found = [app for app in apps if app.package == name.strip()]
    found = found or [app for app in apps if fold(app.label) == wanted]
    if len(found) == 1:
        return found[0].package, f'"{cut(clean(found[0].label), 60)}"'
    if found:
        packages = ", ".join(app.package for app in found[:8])
        raise ActionFailed(
            f'{len(found)} apps are called "{words}": {packages}. Say which package.'
        )
    near = [app for app in apps if wanted in fold(app.label) or wanted in app.package]
    listed = ", ".join(f'"{cut(clean(app.label), 40)}" ({app.package})' for app in near[:MOST_NEAR])
    raise ActionFailed(f'No app is called "{words}".' + (f" Nearest: {listed}." if near else ""))
