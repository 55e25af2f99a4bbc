"""Which packages were installed, replaced or removed: a sequence number increases each time."""


class PackageChanges:
    def __init__(self) -> None:
        self.sequence = 0
        self._latest: dict[str, int] = {}

    def note(self, package: str) -> None:
        self.sequence += 1
        self._latest.pop(package, None)
        self._latest[package] = self.sequence

    def since(self, sequence: int) -> list[str]:
        """The packages that changed after sequence number `sequence`, the latest last."""
        return [package for package, latest in self._latest.items() if latest > sequence]

    def clear(self) -> None:
        """Forget all changes, as boot does."""
        self.sequence = 0
        self._latest.clear()
