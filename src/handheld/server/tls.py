"""TLS certificates: the owner's, or a self-signed one for this machine."""

import os
import socket
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from ..clock import SYSTEM_CLOCK, Clock
from .listener import CannotServe

_LIFETIME = timedelta(days=365)
_MARGIN = timedelta(days=7)
"""A certificate is replaced this long before it expires, so that none expires while in use."""


def load_tls(certificate: Path, key: Path) -> ssl.SSLContext:
    """Load the server's TLS context from two PEM files. Raises CannotServe."""
    for path, what in ((certificate, "certificate"), (key, "key")):
        if not path.is_file():
            raise CannotServe(f"There is no TLS {what} at {path}; give the path of a PEM file.")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # An empty password keeps OpenSSL from asking for one at the terminal.
        context.load_cert_chain(certificate, key, password=lambda: "")
    except (ssl.SSLError, OSError) as error:
        raise CannotServe(
            f"The TLS certificate {certificate} and key {key} cannot be used together; "
            "both must be PEM files of one pair, the key without a password."
        ) from error
    return context


def self_signed(
    folder: Path, bind: str = "127.0.0.1", clock: Clock = SYSTEM_CLOCK
) -> tuple[Path, Path]:
    """Certificate and key in `folder`, created on first use and kept while they are valid."""
    certificate, key = folder / "handheld-cert.pem", folder / "handheld-key.pem"
    names, now = _names(bind), datetime.fromtimestamp(clock.time(), UTC)
    if not (key.is_file() and _is_valid(certificate, names, now)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            cert_pem, key_pem = _make(names, now)
            _write(key, key_pem, 0o600)
            _write(certificate, cert_pem, 0o644)
        except OSError as error:
            raise CannotServe(
                f"A TLS certificate cannot be written to {folder}: {error.strerror}."
            ) from error
    return certificate, key


def _names(bind: str) -> list[str]:
    wanted = ["localhost", "127.0.0.1", "::1", socket.gethostname(), bind]
    kept = dict.fromkeys(name for name in wanted if name.isascii() and 0 < len(name) < 64)
    return list(kept)


def _is_valid(certificate: Path, names: list[str], now: datetime) -> bool:
    from cryptography import x509

    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
        listed = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return False
    known = {str(name.value) for name in listed}
    return set(names) <= known and found.not_valid_after_utc > now + _MARGIN


def _make(names: list[str], now: datetime) -> tuple[bytes, bytes]:
    # Imported here, so that servers without TLS do not load it.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "handheld")])
    alternatives: list[x509.GeneralName] = []
    for name in names:
        try:
            alternatives.append(x509.IPAddress(ip_address(name)))
        except ValueError:
            alternatives.append(x509.DNSName(name))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _LIFETIME)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM), private


def _write(path: Path, data: bytes, mode: int) -> None:
    """Write atomically, never readable by others than `mode` allows."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    part.replace(path)
