"""Check of the authorization servers whose access tokens are accepted."""

from ...access.issuer import Issuer, IssuerAway, metadata_places
from ...access.resource_server import LEEWAY
from ...app_tools.check.finding import Finding, Severity, ok
from ...clock import Clock


async def check_issuer(url: str, clock: Clock) -> Finding:
    """Fetch its metadata and keys as a server would, and compare the clocks."""
    try:
        found = await Issuer(url, clock).fetch()
    except IssuerAway as problem:
        return Finding(
            Severity.PROBLEM, "oauth", str(problem), f"curl -i {metadata_places(url)[0]}"
        )
    if not found.keys:
        sentence = f"{url} has no key for RS256, ES256 or EdDSA: all of its tokens are refused."
        return Finding(Severity.PROBLEM, "oauth", sentence)
    if found.clock_ahead is not None and abs(found.clock_ahead) > LEEWAY:
        order = "ahead of" if found.clock_ahead > 0 else "behind"
        sentence = (
            f"The clock of {url} is {abs(found.clock_ahead):.0f} s {order} that of this computer:"
            " valid tokens are refused, or expired ones accepted."
        )
        return Finding(Severity.PROBLEM, "oauth", sentence, "timedatectl set-ntp true")
    return ok("oauth", f"{url} answers, with {len(found.keys)} keys.")
