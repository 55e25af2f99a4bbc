"""Android's reasons for refusing to install a package, with its messages."""

from dataclasses import dataclass

from handheld.app_formats.apk.archive import MANIFEST, Archive
from handheld.app_formats.apk.binary import BadApk
from handheld.app_formats.apk.manifest import Manifest, ManifestKind
from handheld.app_formats.apk.signer import Signer

from ...system.android import Android
from ..app import App
from .installed import InstalledApp


class InstallFailure(Exception):
    """A package could not be installed or removed."""

    def __init__(self, code: str, reason: str | None = None, detail: str | None = None) -> None:
        super().__init__(f"Failure [{code}: {reason}]" if reason else f"Failure [{code}]")
        self.detail = detail
        """Details for the log, which Android does not print."""


@dataclass(frozen=True, slots=True)
class InstallOptions:
    """The options of an installation."""

    replace: bool = True
    downgrade: bool = False
    test: bool = False
    grant: bool = False
    any_target: bool = False
    inherit: str | None = None
    """The installed package whose other files the session keeps."""
    installer: str | None = None
    package: str | None = None
    """The only package that may be installed."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a package."""

    path: str
    manifest: Manifest
    signer: Signer

    @property
    def name(self) -> str:
        """The file's name after the installation."""
        split = self.manifest.split
        return "base.apk" if split is None else f"split_{split}.apk"


def read_part(content: bytes, path: str, android: Android) -> Part:
    try:
        archive = Archive(content, name=path, sdk=android.api)
    except BadApk as problem:
        reason = f"Failed to parse {path}"
        if android.asset_path_failure:
            reason += f": Failed to load asset path {path}"
        raise InstallFailure("INSTALL_PARSE_FAILED_NOT_APK", reason, str(problem)) from None
    try:
        manifest = archive.manifest()
    except BadApk as problem:
        reason = "Corrupt XML binary file" if MANIFEST in archive.names else MANIFEST
        raise InstallFailure(
            "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION",
            f"Failed to parse {path}: {reason}",
            str(problem),
        ) from None
    return Part(path, manifest, _signer(archive, manifest, path, android))


def _signer(archive: Archive, manifest: Manifest, path: str, android: Android) -> Signer:
    code, reason = "INSTALL_PARSE_FAILED_NO_CERTIFICATES", "Attempt to get length of null array"
    try:
        signer = archive.signer()
    except BadApk as problem:
        reason = f"Failed to collect certificates from {path}: the signature is malformed"
        raise InstallFailure(code, reason, str(problem)) from None
    if signer is None:
        before = (
            f"Failed collecting certificates for {path}: "
            if android.certificate_failure_repeated
            else ""
        )
        raise InstallFailure(code, f"{before}Failed to collect certificates from {path}: {reason}")
    if signer.scheme < 2 and android.binds(Android.signature_v2_required, manifest.target_sdk):
        raise InstallFailure(
            code,
            "Scanning Failed.: No signature found in package of version 2 or newer for package "
            + manifest.package,
        )
    return signer


def check_parts(parts: list[Part], options: InstallOptions) -> None:
    """Check that the files make up exactly one complete package."""
    first = parts[0]
    names: set[str] = set()
    for part in parts:
        if part.name in names:
            raise _invalid(f"Split {part.manifest.split or 'null'} was defined multiple times")
        names.add(part.name)
        wanted = options.inherit or first.manifest.package
        if part.manifest.package != wanted:
            raise _invalid(
                f"{part.path} package {part.manifest.package} inconsistent with {wanted}"
            )
        if options.package not in (None, wanted):
            raise _invalid(
                f"{part.path} specified package {options.package} inconsistent with {wanted}"
            )
        version = part.manifest.version_code
        if version != first.manifest.version_code:
            raise _invalid(
                f"{part.path} version code {version} inconsistent with"
                f" {first.manifest.version_code}"
            )
        if part.signer.digest != first.signer.digest:
            raise _invalid(f"{part.path} signatures are inconsistent")
    if options.inherit is None and "base.apk" not in names:
        raise _invalid("Full install must include a base package")


def _invalid(reason: str) -> InstallFailure:
    return InstallFailure("INSTALL_FAILED_INVALID_APK", reason)


def check_manifest(base: Part, options: InstallOptions, android: Android) -> None:
    """Check that this phone can run the app."""
    manifest = base.manifest
    parsing = f"Failed parse during installPackageLI: {base.path} (at Binary XML file line #"
    if manifest.min_sdk > android.api:
        raise InstallFailure(
            "INSTALL_FAILED_OLDER_SDK",
            f"{parsing}{manifest.sdk_line}): Requires newer sdk version #{manifest.min_sdk}"
            f" (current version is #{android.api})",
        )
    for component in manifest.components:
        if (
            component.filters
            and not component.exported_stated
            and component.kind is not ManifestKind.PROVIDER
            and android.binds(Android.exported_required, manifest.target_sdk)
        ):
            raise InstallFailure(
                "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED",
                f"{parsing}{component.line}): {component.name}: Targeting S+ (version 31 and above)"
                " requires that an explicit value for android:exported be defined when intent"
                " filters are present",
            )
    if manifest.target_sdk < android.oldest_target and not options.any_target:
        raise InstallFailure(
            "INSTALL_FAILED_DEPRECATED_SDK_VERSION",
            f"App package must target at least SDK version {android.oldest_target}, but found"
            f" {manifest.target_sdk}",
        )
    if manifest.test_only and not options.test:
        reason = "Failed to install test-only apk. Did you forget to add -t?"
        if not android.install_failures_explained:
            reason = "installPackageLI"
        raise InstallFailure("INSTALL_FAILED_TEST_ONLY", reason)


def check_update(
    base: Part, existing: App, signer: str, options: InstallOptions, android: Android
) -> None:
    """Check that the package may replace the installed app."""
    package = existing.package
    if not options.replace and options.inherit is None:
        raise InstallFailure(
            "INSTALL_FAILED_ALREADY_EXISTS",
            f"Attempt to re-install {package} without first uninstalling.",
        )
    if base.signer.digest != signer:
        raise InstallFailure("INSTALL_FAILED_UPDATE_INCOMPATIBLE", mismatch(package, android))
    new, old = base.manifest.version_code, existing.version_code
    # Before Android 10, adb can downgrade only debuggable apps.
    may = options.downgrade and (
        android.adb_downgrades
        or (isinstance(existing, InstalledApp) and existing.manifest.debuggable)
    )
    if new < old and not may:
        reason = f"Downgrade detected: Update version code {new} is older than current {old}"
        raise InstallFailure(
            "INSTALL_FAILED_VERSION_DOWNGRADE",
            reason if android.install_failures_explained else None,
        )


def mismatch(package: str, android: Android) -> str:
    if android.signature_mismatch_reworded:
        return f"Existing package {package} signatures do not match newer version; ignoring!"
    return f"Package {package} signatures do not match previously installed version; ignoring!"
