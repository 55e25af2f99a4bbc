"""What the doctor says of authorization servers."""

from email.utils import formatdate

import pytest

from access.authorization_server import AuthorizationServer
from handheld.app_tools.check.finding import Finding, Severity, ok
from handheld.cli.doctor.oauth import check_issuer
from harness.manual_clock import MORNING, ManualClock

METADATA = "/.well-known/oauth-authorization-server"


async def test_an_issuer_that_answers_is_fine() -> None:
    async with AuthorizationServer() as issuer:
        found = await check_issuer(issuer.url, ManualClock())
        assert found == ok("oauth", f"{issuer.url} answers, with 3 keys.")


async def test_an_issuer_that_is_away_is_a_problem() -> None:
    async with AuthorizationServer() as issuer:
        issuer.routes.clear()
        assert await check_issuer(issuer.url, ManualClock()) == Finding(
            Severity.PROBLEM,
            "oauth",
            f"The keys of {issuer.url} cannot be fetched: {issuer.url}{METADATA} answers 404.",
            f"curl -i {issuer.url}{METADATA}",
        )
        issuer.routes[METADATA] = lambda *_: issuer.json({**issuer.metadata(), "issuer": "other"})
        found = await check_issuer(issuer.url, ManualClock())
        assert found.sentence.endswith("its metadata belongs to other.")
        url = issuer.url
    assert (await check_issuer(url, ManualClock())).verdict is Severity.PROBLEM


async def test_an_issuer_without_keys_for_us_is_a_problem() -> None:
    async with AuthorizationServer() as issuer:
        issuer.keys = {}
        found = await check_issuer(issuer.url, ManualClock())
        assert "has no key for RS256, ES256 or EdDSA" in found.sentence


@pytest.mark.parametrize(
    ("ahead", "said"), [(0, ""), (20, ""), (90, "90 s ahead of"), (-90, "90 s behind")]
)
async def test_clocks_that_differ_are_a_problem(ahead: int, said: str) -> None:
    async with AuthorizationServer() as issuer:
        date = formatdate(MORNING + ahead, usegmt=True)

        def dated(*_: object) -> tuple[int, dict[str, str], bytes]:
            status, headers, body = issuer.json(issuer.metadata())
            return status, {**headers, "Date": date}, body

        issuer.routes[METADATA] = dated
        found = await check_issuer(issuer.url, ManualClock())
        assert (found.verdict is Severity.PROBLEM) == bool(said)
        assert said in found.sentence
