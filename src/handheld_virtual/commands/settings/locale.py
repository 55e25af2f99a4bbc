"""`cmd locale`: the languages of individual apps."""

from ...packages.intent_arguments import BadIntent, Words
from ..call import WRONG, CommandCall, refuse
from ..exceptions import throw, unknown_command

_HELP = """\
Locale manager (locale) shell commands:
  help
    Print this help text.
  set-app-locales <PACKAGE_NAME> [--user <USER_ID>] [--locales <LOCALE_INFO>]
    Set the locales for the specified app.
  get-app-locales <PACKAGE_NAME> [--user <USER_ID>]
    Get the locales for the specified app.
"""
_USERS = ("0", "current", "cur")


async def locale(call: CommandCall) -> None:
    words = call.arguments
    match words:
        case ["set-app-locales" | "get-app-locales" as verb, *rest]:
            try:
                await _of_app(call, verb, rest)
            except BadIntent as problem:
                await throw(call, verb, str(problem))
        case [] | ["help"] | ["-h"]:
            await call.write(_HELP)
            call.code = 0 if words else WRONG
        case _:
            await unknown_command(call, words[0])


async def _of_app(call: CommandCall, verb: str, words: list[str]) -> None:
    """Raises BadIntent."""
    if not words:
        await refuse(call, "Error: no package specified")
        return
    package, rest = words[0], Words(words[1:], verb)
    user, tags = "0", ""
    while (option := rest.option()) is not None:
        if option == "--user":
            user = rest.value()
        elif option == "--locales" and verb == "set-app-locales":
            tags = rest.value()
        else:
            raise BadIntent(f"java.lang.IllegalArgumentException: Unknown option: {option}")
    world = call.phone.world
    number = "0" if user in _USERS else user
    if package not in world.apps or user not in _USERS:
        # Both commands succeed: Android catches the exception and prints this.
        await call.write(f"Unknown package {package} for userId {number}\n")
    elif verb == "set-app-locales":
        world.languages.choose_for(package, [tag for tag in tags.split(",") if tag])
    else:
        now = ",".join(world.languages.of_apps.get(package, ()))
        await call.write(f"Locales for {package} for user {number} are [{now}]\n")
