"""Phones that are reached without an adb server: by address, or as a virtual phone."""

from ...adb.link import AdbError
from ...clock import SYSTEM_CLOCK, Clock
from ...devices.direct import Endpoint
from ...devices.opening import server_has, tcp_endpoint
from ...settings import Settings, split_address
from .checkup import ANSWER_SECONDS, Facts, examine_phone


async def without_server(settings: Settings) -> list[str]:
    """The phones chosen by an address that the adb server does not have."""
    addresses = [name for name in settings.phones if split_address(name)]
    return [name for name in addresses if not await server_has(settings, name)]


async def examine_address(settings: Settings, name: str, clock: Clock = SYSTEM_CLOCK) -> Facts:
    # Before the time is over, so that it is told what the phone waits for.
    allow_within = ANSWER_SECONDS / 2
    return await examine_endpoint(tcp_endpoint(settings, name, clock, allow_within))


async def examine_endpoint(endpoint: Endpoint) -> Facts:
    """Connect, check and disconnect."""
    link = None
    try:
        async with endpoint.clock.timeout(ANSWER_SECONDS):
            link = await endpoint.dial()
        return await examine_phone(link)
    except AdbError as problem:
        return Facts(problem=str(problem))
    except TimeoutError:
        return Facts(problem=f"It did not answer within {ANSWER_SECONDS:g} s.")
    finally:
        if link is not None:
            await link.aclose()
        await endpoint.aclose()
