"""The engine's own certificate authority, and the certificates of its nodes."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

AUTHORITY_YEARS, NODE_YEARS = 20, 5


def make_authority(now: float) -> tuple[bytes, bytes]:
    """Create an authority. Returns its certificate and key in PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("Handheld engine")
    builder = _builder(name, name, key, now, AUTHORITY_YEARS).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    usage = _usage(key_cert_sign=True, crl_sign=True)
    return _finish(builder.add_extension(usage, critical=True), key, key)


def make_node(
    authority: bytes, authority_key: bytes, names: Sequence[str], now: float
) -> tuple[bytes, bytes]:
    """Create the certificate and key of a node, in PEM, for clients and for the other nodes."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from cryptography.x509.oid import ExtendedKeyUsageOID

    signer = load_pem_private_key(authority_key, None)
    assert isinstance(signer, ec.EllipticCurvePrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.load_pem_x509_certificate(authority).subject
    builder = _builder(_name("Handheld engine node"), issuer, key, now, NODE_YEARS)
    purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    builder = (
        builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        .add_extension(x509.SubjectAlternativeName([_alternative(n) for n in names]), False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), False
        )
    )
    return _finish(builder, key, signer)


def _name(text: str) -> "x509.Name":
    from cryptography import x509

    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _alternative(name: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(
    subject: "x509.Name",
    issuer: "x509.Name",
    key: "ec.EllipticCurvePrivateKey",
    now: float,
    years: int,
) -> "x509.CertificateBuilder":
    from cryptography import x509

    begin = datetime.fromtimestamp(now, UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # The clocks of hosts differ.
        .not_valid_before(begin - timedelta(days=1))
        .not_valid_after(begin + timedelta(days=365 * years))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(**given: bool) -> "x509.KeyUsage":
    from cryptography import x509

    names = (
        "digital_signature",
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "key_cert_sign",
        "crl_sign",
        "encipher_only",
        "decipher_only",
    )
    whole: dict[str, Any] = {**dict.fromkeys(names, False), **given}
    return x509.KeyUsage(**whole)


def _finish(
    builder: "x509.CertificateBuilder",
    key: "ec.EllipticCurvePrivateKey",
    signer: "ec.EllipticCurvePrivateKey",
) -> tuple[bytes, bytes]:
    from cryptography.hazmat.primitives import hashes, serialization

    certificate = builder.sign(signer, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return certificate.public_bytes(serialization.Encoding.PEM), private
