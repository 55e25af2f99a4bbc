"""Checks an app on a phone: its declarations there, and its answers."""

from ...app_formats.app_functions import BadFunctions, DeclaredFunctions, read_functions
from ...driver import Driver
from .declared import check_provider, check_service, report_no_tools, too_many
from .findings import Findings
from .function_trial import try_functions
from .provider_trial import try_provider
from .service_trial import try_service

CANNOT_LIST = "This phone's Android cannot list app functions over adb."


async def check_package(driver: Driver, package: str, *, call: bool) -> Findings:
    """Raises ToolError if the phone cannot be asked."""
    findings = Findings()
    declared = await driver.declared_tools()
    services = [one for one in declared.services if one.app.package == package]
    providers = [one for one in declared.providers if one.app.package == package]
    listed = await driver.app_functions()
    functions = _functions_of(findings, listed.printed, package)
    apps = [one.app for one in (*services, *providers)]
    if not apps and functions is not None:
        apps = list((await driver.declaring_apps([package])).values())
    if not apps:
        await _check_installed(findings, driver, package)
        if listed.service and not listed.listable:
            findings.warn("app functions", CANNOT_LIST, "Check it on a phone with a newer Android.")
        return findings
    app = apps[0]
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
    if functions is not None:
        await try_functions(findings, driver, app, functions, call=call)
    return findings


def _functions_of(findings: Findings, printed: str, package: str) -> DeclaredFunctions | None:
    if not printed:
        return None
    try:
        return read_functions(printed).get(package)
    except BadFunctions as problem:
        findings.fail("app functions", f"What the phone lists {problem}.")
        return None


async def _check_installed(findings: Findings, driver: Driver, package: str) -> None:
    if any(one.package == package for one in await driver.packages("all")):
        findings.ok("package", f"{package} is installed.")
        report_no_tools(findings)
    else:
        findings.fail(
            "package", f"{package} is not installed.", "adb install FILE.apk, or check the file."
        )
