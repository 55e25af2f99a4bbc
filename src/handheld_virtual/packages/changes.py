"""Which packages were installed, replaced or removed, in order: each change has a higher number."""


class PackageChanges:
    def __init__(self) -> None:
        self.sequence = 0
        self._latest: dict[str, int] = {}

    def note(self, package: str) -> None:
        self.sequence += 1
        self._latest.pop(package, None)
        self._latest[package] = self.sequence

    def since(self, sequence: int) -> list[str]:
        """The packages that changed after the number was `sequence`, the latest last."""
        return [package for package, latest in self._latest.items() if latest > sequence]

    def clear(self) -> None:
        """Start over, as after boot."""
        self.sequence = 0
        self._latest.clear()
