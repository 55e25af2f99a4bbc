"""An app that is on a phone: what it declares there, and how it answers."""

from ..hands import Hands
from .declared import check_provider, check_service, offer_nothing, too_many
from .findings import Findings
from .provider_trial import try_provider
from .service_trial import try_service


async def check_package(hands: Hands, package: str, *, call: bool) -> Findings:
    """Raises ToolError when the phone cannot be asked."""
    findings = Findings()
    offers = await hands.offers()
    services = [one for one in offers.services if one.app.package == package]
    providers = [one for one in offers.providers if one.app.package == package]
    if not services and not providers:
        await _check_installed(findings, hands, package)
        return findings
    app = (*services, *providers)[0].app
    if app.unread:
        findings.fail("package", app.unread, "Check the file that it was installed from.")
        return findings
    findings.ok("package", f"{package}, version code {app.version_code}, label {app.label!r}.")
    if len(services) > 1:
        too_many(findings, len(services))
    for service in services:
        descriptor = check_service(findings, service)
        if descriptor is not None and service.exported:
            await try_service(findings, hands, service, descriptor, call=call)
    for provider in providers:
        check_provider(findings, provider)
        if provider.exported:
            await try_provider(findings, hands, provider, call=call)
    return findings


async def _check_installed(findings: Findings, hands: Hands, package: str) -> None:
    if any(one.package == package for one in await hands.packages("all")):
        findings.ok("package", f"{package} is installed.")
        offer_nothing(findings)
    else:
        findings.fail(
            "package", f"{package} is not installed.", "adb install FILE.apk, or check the file."
        )
