"""Access tokens that are almost right, and issuers that misbehave: no caller gets in by them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from access.authorization_server import (
    EC,
    EDWARDS,
    RSA,
    AuthorizationServer,
    describe_key,
    make_token,
    pack,
    pack_json,
)
from handheld.access.issuer import (
    FETCH_SECONDS,
    FRESH_SECONDS,
    KEPT_SECONDS,
    LARGEST,
    RETRY_SECONDS,
    Issuer,
    IssuerAway,
)
from handheld.access.resource_server import LEEWAY, ResourceServer
from handheld.access.tokens import AccessToken, ScopeMissing, TokenRefused, Tokens, TokensError
from harness.manual_clock import MORNING, ManualClock
from harness.polling import HANG

ATTACK = "access tokens"

HERE = "https://phones.example.com"
HEAD = {"alg": "RS256", "typ": "at+jwt", "kid": "r"}


class Lab:
    def __init__(self, issuer: AuthorizationServer, *others: AuthorizationServer) -> None:
        self.clock = ManualClock()
        self.issuer = issuer
        issuers = [Issuer(each.url, self.clock) for each in (issuer, *others)]
        self.server = ResourceServer(HERE, issuers, clock=self.clock)

    @property
    def claims(self) -> dict[str, Any]:
        return {
            "iss": self.issuer.url,
            "aud": HERE,
            "sub": "alice",
            "scope": "handheld:act",
            "exp": MORNING + 600,
        }

    def token(self, kid: str = "r", **claims: Any) -> str:
        return self.issuer.token(claims.pop("aud", HERE), self.clock.time(), kid, **claims)

    async def judge(self, token: str) -> AccessToken:
        await self.server.prepare(token)
        return self.server.recognise(token)

    async def refusal(self, token: str) -> str:
        with pytest.raises(TokenRefused) as refused:
            await self.judge(token)
        return str(refused.value)


@pytest.fixture
async def lab() -> AsyncGenerator[Lab]:
    async with AuthorizationServer() as issuer:
        yield Lab(issuer)


@pytest.mark.parametrize("kid", ["r", "e", "d"])
async def test_a_right_token_is_accepted_and_one_with_another_signature_is_not(
    lab: Lab, kid: str
) -> None:
    token = lab.token(kid)
    name = f"oauth:alice@{lab.issuer.url.removeprefix('http://')}"
    assert await lab.judge(token) == AccessToken(name, expires=int(MORNING) + 600)
    signed, _, signature = token.rpartition(".")
    head, _, claims = signed.partition(".")
    for spoilt in (
        f"{signed}.",
        f"{signed}.{signature[:-4]}",
        f"{signed}.{signature}AAAA",
        f"{signed}.{pack(bytes(256))}",
        f"{signed}.{pack(bytes(64))}",
        f"{signed}.{pack(b'x')}",
        f"{signed}={'.'}{signature}",
        f"{head}.{pack_json({**lab.claims, 'sub': 'bob'})}.{signature}",
        f"{head}.{claims}\n.{signature}",
        f" {signed}.{signature}",
        f"{signed}.{signature}.{signature}",
        signed,
    ):
        assert await lab.refusal(spoilt)


async def test_the_algorithm_is_not_the_tokens_choice(lab: Lab) -> None:
    formats = (PublicFormat.SubjectPublicKeyInfo, PublicFormat.PKCS1)
    pems = [RSA.public_key().public_bytes(Encoding.PEM, form) for form in formats]
    ders = [RSA.public_key().public_bytes(Encoding.DER, form) for form in formats]
    for algorithm in ("none", "None", "NONE", "nOnE", "", "HS256", "HS384", "HS512", "RS384",
                      "PS256", "ES384", "ES256K", "RSA1_5", "dir", None, 0, [], {}):  # fmt: skip
        for key in (None, RSA, b"", *pems, *ders, json.dumps(lab.issuer.key_set()).encode()):
            head = {**HEAD, "alg": algorithm}
            assert await lab.refusal(make_token(head, lab.claims, key))
    # The right words with a key of another kind, and with its public half as a shared secret.
    for algorithm in ("RS256", "ES256", "EdDSA"):
        for kid in ("r", "e", "d"):
            for key in (RSA, EC, EDWARDS, *pems, *ders):
                right = (algorithm, kid, key) in (
                    *(("RS256", "r", RSA), ("ES256", "e", EC), ("EdDSA", "d", EDWARDS)),
                )
                head = {**HEAD, "alg": algorithm, "kid": kid}
                if not right:
                    assert await lab.refusal(make_token(head, lab.claims, key))


async def test_a_key_that_the_token_brings_is_not_used(lab: Lab) -> None:
    own = rsa.generate_private_key(65537, 2048)
    described = describe_key("r", own)
    for brought in (
        {"jwk": described},
        {"jku": f"{lab.issuer.origin}/own"},
        {"x5u": f"{lab.issuer.origin}/own"},
        {"x5c": ["AAAA"]},
    ):
        lab.issuer.routes["/own"] = lambda *_: lab.issuer.json({"keys": [described]})
        head = {**HEAD, **brought}
        assert "signature is wrong" in await lab.refusal(make_token(head, lab.claims, own))
    assert lab.issuer.asked["/own"] == 0


@pytest.mark.parametrize(
    "kid",
    ["../../../etc/passwd", "/dev/null", "file:///dev/null", "r\x00", "R", " r", "' or 1=1 --",
     "", "x" * 256, "x" * 257, "é", 7, ["r"], {"r": "r"}, True],
)  # fmt: skip
async def test_a_key_id_names_nothing_but_a_key_of_the_issuer(lab: Lab, kid: object) -> None:
    await lab.judge(lab.token())
    assert await lab.refusal(make_token({**HEAD, "kid": kid}, lab.claims, RSA))
    assert set(lab.issuer.asked) == {"/.well-known/oauth-authorization-server", "/keys"}


async def test_a_token_without_a_key_id_needs_a_single_key(lab: Lab) -> None:
    head = {"alg": "RS256"}
    assert await lab.judge(make_token(head, lab.claims, RSA))
    another = rsa.generate_private_key(65537, 2048)
    lab.issuer.keys = {**lab.issuer.keys, "r2": ("RS256", another)}
    await lab.clock.advance(RETRY_SECONDS)
    assert await lab.refusal(lab.token("r2"[:1], sub=7))  # nothing is fetched for it
    await lab.judge(lab.token("r2"))
    assert await lab.refusal(make_token(head, lab.claims, RSA)) == "its issuer has no such key"


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"aud": None}, "it is not for"),
        ({"aud": ""}, "it is not for"),
        ({"aud": []}, "it is not for"),
        ({"aud": "https://phones.example.com.evil.org"}, "it is not for"),
        ({"aud": "https://phones.example.com/other"}, "it is not for"),
        ({"aud": "https://phones.example.com/mcp/"}, "it is not for"),
        ({"aud": "https://phones.example.com:443"}, "it is not for"),
        ({"aud": "HTTPS://phones.example.com"}, "it is not for"),
        ({"aud": "http://phones.example.com"}, "it is not for"),
        ({"aud": "https://phones.example.com https://other.example.com"}, "it is not for"),
        ({"aud": ["client-1", "https://other.example.com"]}, "it is not for"),
        ({"aud": {HERE: HERE}}, "it is not for"),
        ({"exp": None}, "has no expiry time"),
        ({"exp": "2099-01-01"}, "has no expiry time"),
        ({"exp": str(int(MORNING) + 600)}, "has no expiry time"),
        ({"exp": True}, "has no expiry time"),
        ({"exp": [MORNING + 600]}, "has no expiry time"),
        ({"exp": 10**400}, "has no expiry time"),
        ({"exp": MORNING - LEEWAY}, "has expired"),
        ({"exp": 0}, "has expired"),
        ({"exp": -1e15}, "has expired"),
        ({"nbf": MORNING + LEEWAY + 1}, "not valid yet"),
        ({"nbf": "0"}, "has no expiry time"),
        ({"iss": None}, "is not trusted here"),
        ({"iss": "https://evil.example.org"}, "is not trusted here"),
        ({"iss": ["https://evil.example.org"]}, "is not trusted here"),
        ({"sub": None}, "does not name its subject"),
        ({"sub": ""}, "does not name its subject"),
        ({"sub": 7}, "does not name its subject"),
        ({"sub": ["alice"]}, "does not name its subject"),
        ({"sub": None, "client_id": 7}, "does not name its subject"),
        ({"sub": "x" * 200}, "too long"),
        ({"sub": "é" * 60}, "too long"),
        ({"scope": 7}, "scopes cannot be read"),
        ({"scope": {"handheld:act": True}}, "scopes cannot be read"),
        ({"scope": " ".join(f"handheld:phone:p{n}" for n in range(51))}, "more than 50"),
    ],
)
async def test_a_claim_that_is_wrong_is_refused(lab: Lab, claims: dict[str, Any], why: str) -> None:
    assert why in await lab.refusal(lab.token(**claims))


@pytest.mark.parametrize(
    "scope",
    ["", "openid", "handheld", "handheld:", "handheld:ACT", "handheld:act,handheld:read",
     "handheld:phone:desk"],
)  # fmt: skip
async def test_a_token_without_a_scope_for_this_allows_nothing(lab: Lab, scope: str) -> None:
    with pytest.raises(ScopeMissing):
        await lab.judge(lab.token(scope=scope))


@pytest.mark.parametrize("claims", [{"exp": MORNING - LEEWAY + 1}, {"nbf": MORNING + LEEWAY}])
async def test_clocks_may_differ_a_little(lab: Lab, claims: dict[str, Any]) -> None:
    assert await lab.judge(lab.token(**claims))


async def test_what_two_readers_may_understand_differently_is_refused(lab: Lab) -> None:
    claims = json.dumps(lab.claims)[:-1]
    for text in (
        claims + ', "sub": "bob"}',
        claims + ', "aud": "https://phones.example.com"}',
        claims + ', "act": {"sub": "a", "sub": "b"}}',
        claims + ', "iat": NaN}',
        claims + ', "iat": Infinity}',
        claims + "} ",
        claims + "}x",
        claims,
        f"[{claims}}}]",
        '"' + "x" * 50 + '"',
        "[" * 3000,
        '{"a":' * 3000,
        claims + ', "a": "\\ud800',  # an unfinished text
    ):
        token = make_token(HEAD, text.encode(), RSA)
        if text.endswith("} "):
            assert await lab.judge(token)  # a space changes nothing
        else:
            assert await lab.refusal(token)
    for data in (
        b"\xff\xfe",
        b"\xef\xbb\xbf" + claims.encode() + b"}",
        (claims + "}").encode("utf-16"),
    ):
        assert await lab.refusal(make_token(HEAD, data, RSA))
    for head in (
        b'{"alg": "none", "alg": "RS256", "kid": "r"}',
        b'{"alg": "RS256", "alg": "none", "kid": "r"}',
        json.dumps({**HEAD, "crit": ["exp"]}).encode(),
        json.dumps({**HEAD, "crit": ["b64"], "b64": False}).encode(),
        json.dumps({**HEAD, "typ": "dpop+jwt"}).encode(),
        json.dumps({**HEAD, "typ": "logout+jwt"}).encode(),
        json.dumps({**HEAD, "typ": 7}).encode(),
        b"[]",
        b"",
    ):
        assert await lab.refusal(make_token(head, lab.claims, RSA))


async def test_a_huge_token_is_refused_before_it_is_read(lab: Lab) -> None:
    for token in (
        lab.token(sub="x" * 10_000),
        "." * 100_000,
        ("A" * 40_000 + ".") * 2 + "A",
        lab.token() + "A" * 10_000_000,
    ):
        assert "more than 8192 characters" in await lab.refusal(token)


async def test_one_issuer_does_not_speak_for_another() -> None:
    async with AuthorizationServer() as one, AuthorizationServer("/realms/b") as other:
        lab = Lab(one, other)
        other.keys = {"r": ("RS256", rsa.generate_private_key(65537, 2048))}
        mine, theirs = (each.token(HERE, MORNING, sub="alice") for each in (one, other))
        names = {(await lab.judge(token)).name for token in (mine, theirs)}
        assert names == {
            f"oauth:alice@{one.url.removeprefix('http://')}",
            f"oauth:alice@{other.url.removeprefix('http://')}",
        }
        # Signed by one, and said to be the other's.
        for signer, said in ((one, other), (other, one)):
            forged = signer.token(HERE, MORNING, iss=said.url)
            assert await lab.refusal(forged) == "its signature is wrong"
        for variant in (f"{one.url}/", one.url.upper(), one.url.replace("http", "https"),
                        one.url.replace("127.0.0.1", "localhost"), f"{one.url} "):  # fmt: skip
            assert "is not trusted" in await lab.refusal(one.token(HERE, MORNING, iss=variant))


async def test_metadata_of_another_issuer_gives_no_keys() -> None:
    async with AuthorizationServer() as honest, AuthorizationServer() as evil:
        lab = Lab(honest)
        described = {**honest.metadata(), "jwks_uri": f"{evil.origin}/keys"}
        evil.keys = {"r": ("RS256", rsa.generate_private_key(65537, 2048))}
        path = "/.well-known/oauth-authorization-server"
        honest.routes[path] = lambda *_: honest.json({**described, "issuer": evil.url})
        with pytest.raises(IssuerAway):
            await lab.judge(evil.token(HERE, MORNING, iss=honest.url))
        assert evil.asked.total() == 0


SUBJECTS = (
    "alice", "Alice", "alice ", " alice", "al\u0131ce", "\u0430lice", "alice\u200b", "\u202eecila",
    "alice\u0301", "alic\u00e9", "alice\x00", "alice\n", "alice%20", "alice@example.com",
    "alice@127.0.0.1", "owner", "you", "a person", "ci", "oauth:alice", "*", "+", "\ud800", "👩‍💻",
    '"alice"', "al(ice", "alice, which calls itself",
)  # fmt: skip


async def test_no_two_subjects_and_no_token_share_a_name(
    lab: Lab, tmp_path_factory: pytest.TempPathFactory
) -> None:
    names = [(await lab.judge(lab.token(sub=subject))).name for subject in SUBJECTS]
    names += [(await lab.judge(lab.token(sub=None, client_id="alice"))).name]
    assert len(set(names)) == len(names)
    place = lab.issuer.url.removeprefix("http://")
    tokens = Tokens(tmp_path_factory.mktemp("names") / "tokens.json")
    for name in names:
        assert name.isascii()
        assert name.isprintable()
        assert " " not in name
        assert name.startswith(("oauth:", "oauth-client:"))
        assert name.endswith(f"@{place}")
        assert name.count("@") == 1  # of a rule for `oauth:alice@*`
        with pytest.raises(TokensError):
            tokens.make(name)
    for name in ("oauth", "OAuth", "0auth"):
        with pytest.raises(TokensError):
            tokens.make(name)


# The issuer


async def test_an_issuer_that_is_slow_is_not_waited_for(lab: Lab) -> None:
    lab.issuer.hold.clear()
    tasks = [asyncio.create_task(lab.judge(lab.token())) for _ in range(20)]
    async with asyncio.timeout(HANG):
        while not lab.issuer.asked:  # noqa: ASYNC110
            await asyncio.sleep(0)
    await lab.clock.advance(FETCH_SECONDS)
    for each in await asyncio.gather(*tasks, return_exceptions=True):
        assert isinstance(each, IssuerAway)
    assert lab.issuer.asked.total() == 1
    # Nor asked again at once.
    with pytest.raises(IssuerAway):
        await lab.judge(lab.token())
    assert lab.issuer.asked.total() == 1
    lab.issuer.hold.set()
    await lab.clock.advance(RETRY_SECONDS)
    assert await lab.judge(lab.token())


KEYS = "/keys"
METADATA = "/.well-known/oauth-authorization-server"


@pytest.mark.parametrize("path", [KEYS, METADATA])
@pytest.mark.parametrize(
    "spoilt",
    [
        lambda right: (200, {}, right + b" " * LARGEST),
        lambda right: (200, {"Content-Encoding": "gzip"}, right),
        lambda right: (302, {"Location": "/elsewhere"}, b""),
        lambda right: (301, {"Location": "http://127.0.0.2:1/elsewhere"}, b""),
        lambda right: (307, {"Location": "file:///etc/passwd"}, b""),
        lambda right: (500, {}, right),
        lambda right: (204, {}, b""),
        lambda right: (200, {}, b""),
        lambda right: (200, {}, b"[]"),
        lambda right: (200, {}, b"null"),
        lambda right: (200, {}, b"[" * 100_000),
        lambda right: (200, {}, b"\xff" * 100),
        lambda right: (200, {}, b"{}"),
        lambda right: (200, {"Content-Length": "5"}, right),
    ],
)
async def test_an_answer_that_is_not_as_it_should_be_gives_no_keys(
    lab: Lab, path: str, spoilt: Callable[[bytes], Any]
) -> None:
    right = lab.issuer.routes[path]
    lab.issuer.routes[path] = lambda *given: spoilt(right(*given)[2])
    lab.issuer.routes["/elsewhere"] = right
    with pytest.raises(IssuerAway):
        await lab.judge(lab.token())
    assert lab.issuer.asked["/elsewhere"] == 0


@pytest.mark.parametrize(
    "place", ["file:///etc/passwd", "ftp://127.0.0.1/keys", "http://192.0.2.1/keys", "//x/keys",
              "/keys", "", 7, None, "http://[::1", "https://"],
)  # fmt: skip
async def test_keys_are_fetched_by_https_or_from_this_machine(lab: Lab, place: object) -> None:
    described = {**lab.issuer.metadata(), "jwks_uri": place}
    lab.issuer.routes[METADATA] = lambda *_: lab.issuer.json(described)
    with pytest.raises(IssuerAway):
        await lab.judge(lab.token())
    assert lab.issuer.asked[KEYS] == 0


def test_a_remote_issuer_cannot_point_to_this_machine() -> None:
    issuer = Issuer("https://login.example.com")
    assert not issuer._may_fetch("http://127.0.0.1:8080/keys")  # pyright: ignore[reportPrivateUsage]
    assert issuer._may_fetch("https://keys.example.com/keys")  # pyright: ignore[reportPrivateUsage]


SMALL = rsa.generate_private_key(65537, 1024)


@pytest.mark.parametrize(
    "key",
    [
        describe_key("r", SMALL),
        {**describe_key("r", RSA), "use": "enc"},
        {**describe_key("r", RSA), "key_ops": ["encrypt"]},
        {**describe_key("r", RSA), "alg": "PS256"},
        {**describe_key("r", RSA), "e": pack(b"\x02")},
        {**describe_key("r", RSA), "e": pack(b"\x01" * 200)},
        {**describe_key("r", RSA), "n": "!"},
        {**describe_key("r", RSA), "n": 7},
        {**describe_key("r", RSA), "kid": 7},
        {**describe_key("e", EC), "kid": "r"},
        {**describe_key("e", EC), "kid": "r", "x": pack(b"\x01" * 32)},
        {**describe_key("e", EC), "kid": "r", "crv": "P-384"},
        {"kty": "oct", "k": pack(b"secret"), "kid": "r", "alg": "HS256"},
        {"kty": "oct", "k": pack(b"secret"), "kid": "r", "alg": "RS256"},
        {},
        [],
        "r",
        None,
    ],
)
async def test_a_key_that_is_none_is_passed_over(lab: Lab, key: Any) -> None:
    lab.issuer.routes[KEYS] = lambda *_: lab.issuer.json(
        {"keys": [key, describe_key("d", EDWARDS)]}
    )
    assert await lab.judge(lab.token("d"))
    signer = SMALL if key == describe_key("r", SMALL) else RSA
    assert await lab.refusal(make_token(HEAD, lab.claims, signer))
    assert await lab.refusal(make_token({**HEAD, "alg": "HS256"}, lab.claims, b"secret"))


async def test_keys_that_change_are_fetched_anew_and_old_ones_go(lab: Lab) -> None:
    old = lab.token()
    await lab.judge(old)
    assert lab.issuer.asked[KEYS] == 1
    new = rsa.generate_private_key(65537, 2048)
    lab.issuer.keys = {"new": ("RS256", new)}
    # Unknown keys are sought at most every few seconds, whatever is sent.
    for number in range(50):
        assert await lab.refusal(make_token({**HEAD, "kid": f"x{number}"}, lab.claims, new))
    assert lab.issuer.asked[KEYS] == 1
    await lab.clock.advance(RETRY_SECONDS)
    assert await lab.judge(lab.token("new"))
    assert lab.issuer.asked[KEYS] == 2
    assert await lab.refusal(old) == "its issuer has no such key"


async def test_a_withdrawn_key_counts_for_ten_minutes_at_most(lab: Lab) -> None:
    token = lab.token(exp=MORNING + 10_000)
    await lab.judge(token)
    lab.issuer.keys = {"d": ("EdDSA", EDWARDS)}
    await lab.clock.advance(FRESH_SECONDS)
    assert await lab.judge(token)
    await lab.clock.advance(1)
    assert await lab.judge(token)  # nobody waits for the new ones
    async with asyncio.timeout(HANG):
        while True:
            try:
                await lab.judge(token)
            except TokenRefused:
                break
            await asyncio.sleep(0)
    assert lab.issuer.asked[KEYS] == 2


async def test_without_its_issuer_the_keys_of_before_count_for_an_hour(lab: Lab) -> None:
    token = lab.token(exp=MORNING + 10_000)
    await lab.judge(token)
    lab.issuer.routes.clear()
    await lab.clock.advance(KEPT_SECONDS)
    assert await lab.judge(token)
    await lab.clock.advance(1)
    with pytest.raises(IssuerAway):
        lab.server.recognise(token)
