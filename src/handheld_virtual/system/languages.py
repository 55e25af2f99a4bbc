"""The languages of the phone, and those that the owner chose for individual apps. The apps of this
phone have only English texts, which Android shows in every language."""

FIRST = "en-US"


class Languages:
    def __init__(self) -> None:
        self.system: list[str] = [FIRST]
        """Language tags, the preferred one first."""
        self.of_apps: dict[str, list[str]] = {}
        """Language tags by package; an app without an entry follows the system."""
        self.fixed = False
        """Whether a device policy forbids changes."""

    def choose(self, tags: list[str]) -> None:
        if not self.fixed:
            self.system = list(tags)

    def choose_for(self, package: str, tags: list[str]) -> None:
        if tags:
            self.of_apps[package] = list(tags)
        else:
            self.of_apps.pop(package, None)
