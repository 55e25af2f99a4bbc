"""Checks an app's declarations against both specifications."""

from pathlib import Path

from ...app_formats.apk.archive import Archive
from ...app_formats.apk.binary import BadApk
from ...app_formats.apk.manifest import Component, Manifest, ManifestKind
from ...app_formats.app_functions.words import ACTION as FUNCTION_ACTION
from ...app_formats.mobile_mcp import (
    ACTION,
    CAPABILITIES_KEY,
    DESCRIPTION_KEY,
    NAME_KEY,
    BadDescriptor,
    Capability,
    Descriptor,
    read_descriptor,
)
from ...app_formats.mobile_mcp.descriptor import JSON_TYPES, ROOT
from ...app_formats.tool_provider import ACTION as PROVIDER_ACTION
from ...app_formats.tool_provider import MIME_TYPE
from ...driver.app_tools import DeclaringProvider, DeclaringService
from ...driver.by_shell.apk_app_tools import (
    VIEW,
    ApkDeclarations,
    find_declared,
    is_tool_provider,
    is_tool_service,
)
from ..discovered import Unfit, words
from ..services import make_capability_tool
from .findings import Findings
from .function_files import check_function_files

EXPORTED_IS_STATED = 31
"""From this target on, Android does not install a component that has a filter but does not say
whether it is exported."""
_FILTER = f'<intent-filter><action android:name="{ACTION}" /></intent-filter>'


def check_file(path: Path) -> Findings:
    """Check an APK. Raises OSError if it cannot be opened."""
    findings = Findings()
    try:
        with path.open("rb") as file, Archive(file, name=path.name) as archive:
            manifest = archive.manifest()
            findings.ok("package", _introduce(manifest))
            if archive.signer() is None:
                findings.warn(
                    "signature",
                    "It is not signed, and Android installs nothing that is not.",
                    "Sign it: apksigner sign --ks KEYSTORE FILE.apk",
                )
            else:
                findings.ok("signature", "It is signed.")
            functions = check_function_files(findings, archive, manifest)
            _check_components(findings, manifest, find_declared(archive, manifest), functions)
    except BadApk as problem:
        findings.fail("package", f"{problem}.", "Build it again, and check the file that you name.")
    return findings


def _introduce(manifest: Manifest) -> str:
    version = f"{manifest.version_name} ({manifest.version_code})"
    return f"{manifest.package}, version {version}, label {manifest.label or manifest.package!r}."


def _check_components(
    findings: Findings, manifest: Manifest, declared: ApkDeclarations, functions: bool
) -> None:
    found = {one.class_name: one for one in (*declared.services, *declared.providers)}
    services = [one for one in manifest.components if is_tool_service(one)]
    providers = [one for one in manifest.components if is_tool_provider(one)]
    for component in manifest.components:
        if component not in services and component not in providers:
            _check_missed(findings, component)
    if not services and not providers and not functions and not findings.failed:
        report_no_tools(findings)
    if len(services) > 1:
        too_many(findings, len(services))
    for component in (*services, *providers):
        _check_component(findings, component, manifest.target_sdk)
        component_tools = found.get(component.name)
        if isinstance(component_tools, DeclaringService):
            _check_meta_data(findings, component)
            check_service(findings, component_tools)
        elif isinstance(component_tools, DeclaringProvider):
            check_provider(findings, component_tools)


def report_no_tools(findings: Findings) -> None:
    findings.fail(
        "offers",
        f"It offers nothing: no service has an intent filter with the action {ACTION} or"
        f" {FUNCTION_ACTION}, and no provider one for {MIME_TYPE}.",
        f"Add to the service: {_FILTER}",
    )


def too_many(findings: Findings, count: int) -> None:
    findings.fail(
        "services",
        f"{count} services have the action {ACTION}; exactly one may.",
        "Keep one of them, with all capabilities in its descriptor.",
    )


def _check_missed(findings: Findings, component: Component) -> None:
    """Report components that agents narrowly miss."""
    subject = _name(component)
    actions = {action for one in component.filters for action in one.actions}
    typed = any(MIME_TYPE in one.mime_types for one in component.filters)
    named = {NAME_KEY, DESCRIPTION_KEY, CAPABILITIES_KEY} & component.meta_data.keys()
    if component.kind is ManifestKind.SERVICE and named:
        findings.fail(
            subject, f"It has meta-data of Mobile MCP and no filter with {ACTION}.", _FILTER
        )
    elif component.kind is not ManifestKind.SERVICE and ACTION in actions:
        findings.fail(
            subject,
            f"It has the action {ACTION}, but is not a service. Agents find only services.",
        )
    elif component.kind is ManifestKind.PROVIDER and (typed or PROVIDER_ACTION in actions):
        if not component.authorities:
            findings.fail(
                subject,
                "It has no authority, so nobody can call it.",
                'Add android:authorities="YOUR.PACKAGE.tools".',
            )
        else:
            findings.fail(
                subject,
                f"It has a filter for {MIME_TYPE} without the action {VIEW}, so it is not found.",
                f'Add <action android:name="{VIEW}" /> to that filter.',
            )


def _check_component(findings: Findings, component: Component, target_sdk: int) -> None:
    subject = _name(component)
    if not component.enabled:
        findings.fail(subject, "It is disabled.", 'Remove android:enabled="false".')
    if not component.exported_stated and target_sdk >= EXPORTED_IS_STATED:
        findings.fail(
            subject,
            f"It does not say whether it is exported, and with target {target_sdk} Android does"
            " not install that.",
            'Add android:exported="true".',
        )
    if component.kind is not ManifestKind.SERVICE:
        return
    plain = [one for one in component.filters if ACTION in one.actions]
    if not any(not (one.schemes or one.mime_types or one.hosts) for one in plain):
        findings.fail(
            subject,
            f"Its filter with {ACTION} asks for data too, which no agent sends.",
            "Take <data> out of that filter.",
        )


def _check_meta_data(findings: Findings, component: Component) -> None:
    subject = _name(component)
    for key in (NAME_KEY, DESCRIPTION_KEY):
        value = component.meta_data.get(key)
        if value is not None and value.value is None and value.resource is not None:
            findings.fail(
                subject,
                f"Its meta-data {key} is a resource's number, not text.",
                f'<meta-data android:name="{key}" android:value="…" />',
            )


# These checks also apply to an app that is installed on a phone.


def check_service(findings: Findings, service: DeclaringService) -> Descriptor | None:
    """Returns the descriptor if there is one to try."""
    subject = f"service {service.class_name}"
    _check_open(findings, subject, service)
    for key, value in ((NAME_KEY, service.name), (DESCRIPTION_KEY, service.description)):
        if not (value or "").strip():
            findings.fail(
                subject,
                f"It has no meta-data {key}.",
                f'<meta-data android:name="{key}" android:value="…" />',
            )
        else:
            findings.ok(subject, f"{key} is {words(value or '', 60)!r}.")
    if service.descriptor is None:
        findings.fail(
            subject,
            service.problem,
            f'<meta-data android:name="{CAPABILITIES_KEY}"'
            ' android:resource="@xml/mcp_capabilities" />',
        )
        return None
    try:
        descriptor = read_descriptor(service.descriptor, "descriptor")
    except BadDescriptor as problem:
        findings.fail("descriptor", f"{problem.problem.element}: {problem.problem.message}.")
        return None
    _check_descriptor(findings, service, descriptor)
    return descriptor


def _check_descriptor(
    findings: Findings, service: DeclaringService, descriptor: Descriptor
) -> None:
    for problem in descriptor.problems:
        report = findings.warn if problem.tolerated else findings.fail
        report("descriptor", f"{problem.element}: {problem.message}.")
    capabilities = descriptor.capabilities
    if not capabilities:
        findings.fail(
            "descriptor",
            "No capability in it can be used.",
            f"Declare at least one <capability> in <{ROOT}>.",
        )
        return
    names = ", ".join(one.id for one in capabilities)
    findings.ok("descriptor", f"Capabilities that can be used: {names}.")
    for capability in capabilities:
        _check_capability(findings, service, capability)


def _check_capability(
    findings: Findings, service: DeclaringService, capability: Capability
) -> None:
    subject = f"capability {words(capability.id, 60)}"
    try:
        make_capability_tool(service, capability)
    except Unfit as problem:
        findings.fail(subject, f"It {problem}.", "It is left out of every list until then.")
    if not capability.description.strip():
        findings.warn(
            subject, "Its description is empty.", "An agent chooses tools by what it says."
        )
    for parameter in capability.input:
        if parameter.type.lower() not in JSON_TYPES:
            findings.warn(
                subject,
                f"Parameter {parameter.name!r} has the type {parameter.type!r}, which nobody has"
                " agreed on; its values are sent as strings.",
                f"Use one of: {', '.join(JSON_TYPES)}.",
            )


def check_provider(findings: Findings, provider: DeclaringProvider) -> None:
    subject = f"provider {provider.class_name}"
    _check_open(findings, subject, provider)
    findings.ok(subject, f"It is found, under the authority {provider.authority}.")


def _check_open(
    findings: Findings, subject: str, component: DeclaringService | DeclaringProvider
) -> None:
    if not component.exported:
        findings.fail(
            subject, "It is not exported, so nobody can call it.", 'android:exported="true"'
        )
    elif component.permission:
        findings.warn(
            subject,
            f"It demands the permission {component.permission} of its callers, which adb and most"
            " agents do not have.",
            "Remove android:permission.",
        )
    else:
        findings.ok(subject, "It is exported and asks for no permission.")


def _name(component: Component) -> str:
    return f"{component.kind.value} {component.name}"
