"""An app that is on a phone: what it declares there, and how it answers."""

from ..driver import Driver
from .declared import check_provider, check_service, report_no_tools, too_many
from .findings import Findings
from .provider_trial import try_provider
from .service_trial import try_service


async def check_package(driver: Driver, package: str, *, call: bool) -> Findings:
    """Raises ToolError when the phone cannot be asked."""
    findings = Findings()
    declared = await driver.declared_tools()
    services = [one for one in declared.services if one.app.package == package]
    providers = [one for one in declared.providers if one.app.package == package]
    if not services and not providers:
        await _check_installed(findings, driver, package)
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
            await try_service(findings, driver, service, descriptor, call=call)
    for provider in providers:
        check_provider(findings, provider)
        if provider.exported:
            await try_provider(findings, driver, provider, call=call)
    return findings


async def _check_installed(findings: Findings, driver: Driver, package: str) -> None:
    if any(one.package == package for one in await driver.packages("all")):
        findings.ok("package", f"{package} is installed.")
        report_no_tools(findings)
    else:
        findings.fail(
            "package", f"{package} is not installed.", "adb install FILE.apk, or check the file."
        )
