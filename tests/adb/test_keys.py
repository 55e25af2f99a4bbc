"""adb's keys: signing, verification by the phone, and storage with mode 0600."""

import base64
import subprocess
import sys
from pathlib import Path
from unittest.mock import ANY

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from handheld.adb.keys import (
    AdbKey,
    AdbPublicKey,
    decode_public_key,
    encode_public_key,
    generate_key,
    load_keys,
    read_key,
    verify,
)
from handheld.adb.link import AdbError

KEY = generate_key("someone@somewhere")
OTHER = generate_key()
TOKENS = st.binary(min_size=20, max_size=20)


@given(TOKENS, TOKENS)
def test_signature_is_valid_only_for_its_token_and_key(token: bytes, another: bytes) -> None:
    signature = KEY.sign(token)
    assert verify(signature, token, KEY.public)
    assert not verify(signature, token, OTHER.public)
    assert verify(signature, another, KEY.public) == (another == token)


@pytest.mark.parametrize(
    "signature", [b"", bytes(256), b"\xff" * 256, b"x" * 255, b"x" * 257, bytes(255) + b"\1"]
)
def test_invalid_signature_is_rejected(signature: bytes) -> None:
    assert not verify(signature, b"t" * 20, KEY.public)
    assert not verify(KEY.sign(b"t" * 20), b"t" * 19, KEY.public)


def test_public_key_round_trips() -> None:
    data = encode_public_key(KEY.public)
    assert data.endswith(b" someone@somewhere\0")
    assert len(base64.b64decode(data.split(b" ")[0])) == 524
    assert decode_public_key(data) == KEY.public
    assert decode_public_key(data.rstrip(b"\0") + b"\n") == KEY.public
    assert decode_public_key(encode_public_key(OTHER.public)) == OTHER.public


@given(st.binary(max_size=100) | st.binary(min_size=524, max_size=524).map(base64.b64encode))
def test_random_bytes_are_no_public_key(data: bytes) -> None:
    with pytest.raises(ValueError, match="not an adb public key"):
        decode_public_key(data)


def test_only_2048_bit_keys_are_accepted() -> None:
    small = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    with pytest.raises(ValueError, match="2048"):
        AdbKey(small)
    with pytest.raises(ValueError, match="2048"):
        encode_public_key(AdbPublicKey(small.public_key().public_numbers().n))


def test_users_adb_key_is_used(tmp_path: Path) -> None:
    (tmp_path / ".android").mkdir()
    (tmp_path / ".android" / "adbkey").write_bytes(KEY.to_pem())
    (found,) = load_keys(tmp_path / "ours", home=tmp_path)
    assert found.public == AdbPublicKey(KEY.public.modulus, 65537, ANY)
    assert not (tmp_path / "ours").exists()


def test_own_key_is_created_once_and_private(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    (made,) = load_keys(folder, home=tmp_path)
    (again,) = load_keys(folder, home=tmp_path)
    assert made.public == again.public
    assert "@" in made.public.name
    assert [path.name for path in folder.iterdir()] == ["adbkey"]
    assert (folder / "adbkey").stat().st_mode & 0o777 == 0o600


def test_unusable_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "adbkey"
    elliptic = ec.generate_private_key(ec.SECP256R1())
    pem = elliptic.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for content in (b"", b"not a key", pem):
        path.write_bytes(content)
        with pytest.raises(AdbError, match=f"{path} is not usable. Make it readable"):
            read_key(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(AdbError, match=f"{path} cannot be read: Is a directory"):
        read_key(path)


def test_folder_that_cannot_store_a_key_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AdbError, match=r"cannot be (read|written): Not a directory"):
        load_keys(tmp_path / "file", home=tmp_path)


def test_cryptography_is_imported_only_for_a_key() -> None:
    program = "import sys, handheld.adb.direct; sys.exit('cryptography' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
