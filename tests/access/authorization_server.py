"""A small authorization server on this machine: metadata, keys, and the code flow for clients that
register themselves."""

import asyncio
import base64
import hmac
import json
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from handheld.clock import SYSTEM_CLOCK

Private = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
Answer = tuple[int, Mapping[str, str], bytes]
Route = Callable[[str, Mapping[str, str]], Answer]

RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
EDWARDS = ed25519.Ed25519PrivateKey.generate()
KEYS: dict[str, tuple[str, Private]] = {
    "r": ("RS256", RSA),
    "e": ("ES256", EC),
    "d": ("EdDSA", EDWARDS),
}


def pack(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def pack_json(value: object) -> str:
    return pack(value if isinstance(value, bytes) else json.dumps(value).encode())


def whole(number: int) -> str:
    return pack(number.to_bytes((number.bit_length() + 7) // 8))


def describe_key(id: str, key: Private) -> dict[str, Any]:
    """As a JSON Web Key."""
    public = key.public_key()
    if isinstance(public, rsa.RSAPublicKey):
        numbers = public.public_numbers()
        return {"kid": id, "kty": "RSA", "n": whole(numbers.n), "e": whole(numbers.e), "use": "sig"}
    if isinstance(public, ec.EllipticCurvePublicKey):
        at = public.public_numbers()
        x, y = (pack(each.to_bytes(32)) for each in (at.x, at.y))
        return {"kid": id, "kty": "EC", "crv": "P-256", "x": x, "y": y, "alg": "ES256"}
    raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    return {"kid": id, "kty": "OKP", "crv": "Ed25519", "x": pack(raw)}


def sign(key: Private | bytes | None, data: bytes) -> bytes:
    """With the private key; by HMAC with bytes; not at all with None."""
    if key is None:
        return b""
    if isinstance(key, bytes):
        return hmac.digest(key, data, "sha256")
    if isinstance(key, rsa.RSAPrivateKey):
        return key.sign(data, padding.PKCS1v15(), SHA256())
    if isinstance(key, ec.EllipticCurvePrivateKey):
        r, s = decode_dss_signature(key.sign(data, ec.ECDSA(SHA256())))
        return r.to_bytes(32) + s.to_bytes(32)
    return key.sign(data)


def make_token(
    head: Mapping[str, Any] | bytes, claims: Mapping[str, Any] | bytes, key: Private | bytes | None
) -> str:
    signed = f"{pack_json(head)}.{pack_json(claims)}"
    return f"{signed}.{pack(sign(key, signed.encode()))}"


class AuthorizationServer:
    def __init__(self, path: str = "") -> None:
        self.path = path
        self.keys: Mapping[str, tuple[str, Private]] = KEYS
        self.asked: Counter[str] = Counter()
        """How often each path was asked for."""
        self.hold = asyncio.Event()
        """Answers wait for it."""
        self.hold.set()
        self.scope = "handheld:act"
        """What is granted."""
        self.subject = "alice"
        self.seen: dict[str, str] = {}
        """What clients have asked for."""
        self._codes: dict[str, tuple[str, str]] = {}
        self._server: asyncio.Server | None = None
        self.routes: dict[str, Route] = {
            f"/.well-known/oauth-authorization-server{path}": lambda *_: self.json(self.metadata()),
            "/keys": lambda *_: self.json(self.key_set()),
            "/register": self._register,
            "/authorize": self._authorize,
            "/token": self._token,
        }

    async def __aenter__(self) -> "AuthorizationServer":
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self.hold.set()
        self._server.close()

    @property
    def origin(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def url(self) -> str:
        return self.origin + self.path

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.origin}/authorize",
            "token_endpoint": f"{self.origin}/token",
            "registration_endpoint": f"{self.origin}/register",
            "jwks_uri": f"{self.origin}/keys",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        }

    def key_set(self) -> dict[str, Any]:
        return {"keys": [describe_key(id, key) for id, (_, key) in self.keys.items()]}

    def token(self, audience: object, now: float, kid: str = "r", **claims: Any) -> str:
        """A right one, with other claims; None leaves one out."""
        algorithm, key = self.keys[kid]
        said = {
            "iss": self.url,
            "aud": audience,
            "sub": "alice",
            "scope": "handheld:act",
            "exp": int(now) + 600,
            **claims,
        }
        left = {name: value for name, value in said.items() if value is not None}
        return make_token({"alg": algorithm, "typ": "at+jwt", "kid": kid}, left, key)

    @staticmethod
    def json(value: object, status: int = 200) -> Answer:
        return status, {"Content-Type": "application/json"}, json.dumps(value).encode()

    # The code flow

    def _register(self, body: str, _: Mapping[str, str]) -> Answer:
        return self.json({**json.loads(body), "client_id": "client-1"}, 201)

    def _authorize(self, _: str, query: Mapping[str, str]) -> Answer:
        self.seen = dict(query)
        code = secrets.token_hex(8)
        self._codes[code] = query["code_challenge"], query["resource"]
        back = urlencode({"code": code, "state": query["state"], "iss": self.url})
        return 302, {"Location": f"{query['redirect_uri']}?{back}"}, b""

    def _token(self, body: str, _: Mapping[str, str]) -> Answer:
        given = {name: values[0] for name, values in parse_qs(body).items()}
        challenge, resource = self._codes.pop(given["code"])
        assert pack(sha256(given["code_verifier"].encode()).digest()) == challenge
        assert given["resource"] == resource
        signed = self.token(resource, SYSTEM_CLOCK.time(), "e", sub=self.subject, scope=self.scope)
        return self.json({"access_token": signed, "token_type": "Bearer", "expires_in": 600})

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            lines = head.split("\r\n")
            target = urlsplit(lines[0].split(" ")[1])
            sizes = [line for line in lines if line.lower().startswith("content-length:")]
            body = await reader.readexactly(int(sizes[0].split(":")[1])) if sizes else b""
            self.asked[target.path] += 1
            await self.hold.wait()
            route = self.routes.get(target.path)
            query = {name: values[0] for name, values in parse_qs(target.query).items()}
            status, headers, data = route(body.decode(), query) if route else (404, {}, b"")
            given = {"Content-Length": str(len(data)), "Connection": "close", **headers}
            text = "".join(f"{name}: {value}\r\n" for name, value in given.items())
            writer.write(f"HTTP/1.1 {status} x\r\n{text}\r\n".encode() + data)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
