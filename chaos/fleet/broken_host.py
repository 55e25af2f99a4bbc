"""A host with a fault of its own, to see that the check finds it: `python -m
chaos.fleet.broken_host freshness host …`."""

import sys

from handheld.cli import main
from handheld.fleet import call_service
from handheld.phone.leases.lease import Lease, Use
from handheld.phone.leases.leases import Leases


def forget_age() -> None:
    """Calls are done however long they were on their way."""
    call_service.OLDEST = float("inf")


def forget_leases() -> None:
    """A lease keeps nobody away."""

    def accept(self: Leases, use: Use, under: Lease | None) -> None:
        pass

    Leases._check_use = accept  # pyright: ignore[reportPrivateUsage]


FAULTS = {"freshness": forget_age, "leases": forget_leases}

if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    sys.exit(main(sys.argv[2:]))
