"""Android packages for the tests, made of the sources beside this file by Debian's tools.

What was built is kept under build/apks until its sources change.
"""

import hashlib
import os
import shutil
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from harness.polling import HANG

SOURCES = Path(__file__).resolve().parent
KEPT = SOURCES.parent.parent / "build" / "apks"
FRAMEWORK = Path("/usr/share/android-framework-res/framework-res.apk")
TOOLS = ("aapt", "aapt2", "zipalign", "apksigner")


def need_tools() -> None:
    if not (all(map(shutil.which, TOOLS)) and FRAMEWORK.exists()):
        pytest.fail("On Debian: apt-get install aapt zipalign apksigner android-framework-res")


def build(
    name: str,
    *,
    version: int = 1,
    least: int = 26,
    target: int = 33,
    signer: str | None = "one",
    schemes: tuple[int, ...] = (2, 3),
) -> Path:
    """An APK of the sources in the folder `name`, signed by a key that is called `signer`."""
    sources = SOURCES / name
    sum = hashlib.sha256(repr((version, least, target, signer, schemes)).encode())
    for file in sorted((*sources.rglob("*.xml"), Path(__file__))):
        sum.update(file.name.encode() + b"\0" + file.read_bytes())
    done = KEPT / f"{name}-{sum.hexdigest()[:16]}.apk"
    if done.exists():
        return done
    KEPT.mkdir(parents=True, exist_ok=True)
    work = done.with_suffix(f".{os.getpid()}")
    work.mkdir(exist_ok=True)
    try:
        _link(sources, work, version, least, target)
        _run("zipalign", "-f", "-p", "4", work / "linked.apk", work / "ready.apk")
        if signer is not None:
            _sign(work / "ready.apk", signer, schemes, least)
        (work / "ready.apk").replace(done)
    finally:
        shutil.rmtree(work)
    return done


def certificate(signer: str) -> bytes:
    """In DER, of the key that is called so."""
    _, path = _key(signer)
    loaded = x509.load_pem_x509_certificate(path.read_bytes())
    return loaded.public_bytes(serialization.Encoding.DER)


def _link(sources: Path, work: Path, version: int, least: int, target: int) -> None:
    compiled: list[Path] = []
    if (sources / "res").exists():
        compiled.append(work / "compiled.zip")
        _run("aapt2", "compile", "--dir", sources / "res", "-o", compiled[0])
    _run(
        *("aapt2", "link", "-o", work / "linked.apk", "-I", FRAMEWORK, "--auto-add-overlay"),
        *("--manifest", sources / "AndroidManifest.xml", "--version-code", str(version)),
        *("--version-name", f"{version}.0", "--min-sdk-version", str(least)),
        *("--target-sdk-version", str(target), *compiled),
    )


def _sign(apk: Path, signer: str, schemes: tuple[int, ...], least: int) -> None:
    key, certificate = _key(signer)
    wanted = [
        word
        for scheme in (1, 2, 3)
        for word in (f"--v{scheme}-signing-enabled", str(scheme in schemes).lower())
    ]
    _run(
        *("apksigner", "sign", "--key", key, "--cert", certificate, *wanted),
        *("--min-sdk-version", str(min(least, 23)), apk),
    )


def _key(signer: str) -> tuple[Path, Path]:
    key, certificate = KEPT / f"{signer}.pk8", KEPT / f"{signer}.pem"
    if not certificate.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        made = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Handheld test {signer}")])
        signed = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(made.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(datetime(2020, 1, 1))  # noqa: DTZ001 - a certificate knows no zones
            .not_valid_after(datetime(2060, 1, 1))  # noqa: DTZ001
            .sign(made, hashes.SHA256())
        )
        key.write_bytes(
            made.private_bytes(
                serialization.Encoding.DER,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    return key, certificate


def _run(*words: str | Path) -> None:
    done = subprocess.run(
        [str(word) for word in words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, (words, done.stdout, done.stderr)
