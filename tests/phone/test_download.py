"""Downloads: which URLs and addresses are allowed, and where the connection goes."""

import ipaddress
import ssl
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from handheld.errors import ActionFailed, InvalidParams, ToolError
from handheld.phone.files.download import DownloadRules, Resolve, fetch
from handheld.server.tls import load_tls, self_signed

from .web import Web, answer, open_web

OPEN = DownloadRules(1, allow_http=True, allow_private_addresses=True)
MB = 1024 * 1024


def names(**addresses: str) -> Resolve:
    """Return a resolver of these names, with `_` for dots."""

    async def resolve(host: str, port: int) -> list[str]:
        found = addresses.get(host.replace(".", "_"))
        if found is None:
            raise OSError("no such name")
        return found.split()

    return resolve


@pytest.fixture
async def web() -> AsyncGenerator[Web]:
    async with open_web() as web:
        yield web


async def refusal(url: str, target: Path, rules: DownloadRules, resolve: Resolve) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await fetch(url, target, rules, resolve=resolve)
    return caught.value


async def test_the_request_has_the_host_name(web: Web, tmp_path: Path) -> None:
    web.pages["/photo.jpg?size=2"] = answer(b"\x00\xff" * 70_000)
    url = f"http://files.test:{web.port}/photo.jpg?size=2"
    target = tmp_path / "photo"
    assert await fetch(url, target, OPEN, resolve=names(files_test="127.0.0.1")) == 140_000
    assert target.read_bytes() == b"\x00\xff" * 70_000
    assert web.requests == [("/photo.jpg?size=2", f"files.test:{web.port}")]


async def test_compressed_content_is_kept_as_sent(web: Web, tmp_path: Path) -> None:
    web.pages["/a"] = answer(b"not really gzip", Content_Encoding="gzip")
    await fetch(f"http://127.0.0.1:{web.port}/a", tmp_path / "a", OPEN)
    assert (tmp_path / "a").read_bytes() == b"not really gzip"


async def test_the_second_address_is_tried_if_the_first_fails(web: Web, tmp_path: Path) -> None:
    web.pages["/a"] = answer(b"here")
    url = f"http://files.test:{web.port}/a"
    assert await fetch(url, tmp_path / "a", OPEN, resolve=names(files_test="::1 127.0.0.1")) == 4


PRIVATE = (
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.5.4",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.1",
    "::1",
    "fe80::1",
    "fc00::1",
    "fec0::1",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "192.0.0.8",
    "192.88.99.1",
    "64:ff9b:1::808:808",
    "::ffff:0:808:808",
    "100:0:0:1::1",
    "3fff::1",
    "5f00::1",
)
NEVER = ("0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "::ffff:224.0.0.1")


@pytest.mark.matrix
@pytest.mark.parametrize("address", [*PRIVATE, *NEVER, "93.184.215.14 10.0.0.1"])
async def test_a_name_with_a_private_address_is_rejected(tmp_path: Path, address: str) -> None:
    rules = DownloadRules(1, allow_http=True)
    bad = str(ipaddress.ip_address(address.split()[-1]))
    failure = await refusal("http://files.test/a", tmp_path / "a", rules, names(files_test=address))
    assert (type(failure), failure.message) == (
        ActionFailed,
        f"Downloads from files.test are not allowed: {bad} is not a public address."
        " `download.allow_private_addresses` in Handheld's settings allows addresses of this"
        " computer and its networks.",
    )
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("address", NEVER)
async def test_addresses_that_are_not_hosts_are_always_rejected(
    tmp_path: Path, address: str
) -> None:
    failure = await refusal("http://files.test/a", tmp_path / "a", OPEN, names(files_test=address))
    assert failure.message == (
        f"Downloads from files.test are not allowed: {ipaddress.ip_address(address)} is not a"
        " public address."
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "2130706433", "0x7f.1", "localhost"])
async def test_every_spelling_of_loopback_is_rejected(web: Web, tmp_path: Path, host: str) -> None:
    rules = replace(OPEN, allow_private_addresses=False)
    with pytest.raises(ActionFailed, match=r"^Downloads from .* is not a public address\."):
        await fetch(f"http://{host}:{web.port}/a", tmp_path / "a", rules)
    assert web.requests == []


async def test_a_redirect_is_followed_and_checked_again(web: Web, tmp_path: Path) -> None:
    web.pages["/a"] = answer(status="302 Found", Location="/b")
    web.pages["/b"] = answer(status="307 Temporary Redirect", Location=f"//two.test:{web.port}/c")
    web.pages["/c"] = answer(b"there")
    resolve = names(one_test="127.0.0.1", two_test="127.0.0.1")
    assert await fetch(f"http://one.test:{web.port}/a", tmp_path / "a", OPEN, resolve=resolve) == 5
    one, two = f"one.test:{web.port}", f"two.test:{web.port}"
    assert web.requests == [("/a", one), ("/b", one), ("/c", two)]


@pytest.mark.parametrize(
    ("location", "message"),
    [
        (
            "http://inside.test/a",
            "Downloads from inside.test are not allowed: 0.0.0.0 is not a public address.",
        ),
        (
            "file:///etc/passwd",
            "Download failed: it was redirected to what is no web address: file:///etc/passwd",
        ),
        (
            "https://x:99999999/",
            "Download failed: it was redirected to what is no web address: https://x:99999999/",
        ),
        ("http://nowhere.test/", "Download failed: the name nowhere.test cannot be resolved."),
    ],
)
async def test_a_redirect_to_a_forbidden_address_is_not_followed(
    web: Web, tmp_path: Path, location: str, message: str
) -> None:
    web.pages["/a"] = answer(status="301 Moved Permanently", Location=location)
    resolve = names(files_test="127.0.0.1", inside_test="0.0.0.0")
    url = f"http://files.test:{web.port}/a"
    failure = await refusal(url, tmp_path / "a", OPEN, resolve)
    assert (type(failure), failure.message) == (ActionFailed, message)


async def test_a_redirect_loop_ends(web: Web, tmp_path: Path) -> None:
    web.pages["/a"] = answer(status="302 Found", Location="/a")
    failure = await refusal(f"http://127.0.0.1:{web.port}/a", tmp_path / "a", OPEN, names())
    assert failure.message == "Download failed: more than 5 redirects."
    assert len(web.requests) == 6


@pytest.mark.parametrize(
    ("url", "kind", "message"),
    [
        ("", InvalidParams, "Invalid URL: "),
        ("no url", InvalidParams, "Invalid URL: no url"),
        ("https://", InvalidParams, "Invalid URL: https://"),
        ("http://a b/", InvalidParams, "Invalid URL: http://a b/"),
        ("https://x:99999999/", InvalidParams, "Invalid URL: https://x:99999999/"),
        ("https://\x00/", InvalidParams, "Invalid URL: https:// /"),
        (
            "ftp://files.test/a",
            InvalidParams,
            "Unsupported URL protocol: ftp. Only HTTP and HTTPS are supported.",
        ),
        (
            "file:///etc/passwd",
            InvalidParams,
            "Unsupported URL protocol: file. Only HTTP and HTTPS are supported.",
        ),
        (
            "http://files.test/a",
            ActionFailed,
            "HTTP downloads are not allowed. Enable `download.allow_http` in Handheld's settings,"
            " or use an HTTPS URL.",
        ),
        (
            "https://nowhere.test/a",
            ActionFailed,
            "Download failed: the name nowhere.test cannot be resolved.",
        ),
    ],
)
async def test_an_invalid_url_is_reported(
    tmp_path: Path, url: str, kind: type, message: str
) -> None:
    failure = await refusal(url, tmp_path / "a", DownloadRules(), names(files_test="127.0.0.1"))
    assert (type(failure), failure.message) == (kind, message)


async def test_an_error_status_is_an_error(web: Web, tmp_path: Path) -> None:
    for status in ("404 Not Found", "500 Oops", "304 Not Modified"):
        web.pages["/a"] = answer(b"" if status[0] == "3" else b"sorry", status)
        url = f"http://127.0.0.1:{web.port}/a"
        failure = await refusal(url, tmp_path / "a", OPEN, names())
        assert failure.message == f"Download failed with HTTP status {status[:3]} for URL: {url}"


async def test_a_file_over_the_limit_is_not_fetched(web: Web, tmp_path: Path) -> None:
    web.pages["/declared"] = answer(b"x", Content_Length=str(MB + 1))
    failure = await refusal(f"http://127.0.0.1:{web.port}/declared", tmp_path / "a", OPEN, names())
    assert failure.message == (
        f"Server reports file size of {MB + 1} bytes, which exceeds the configured limit of 1 MB."
    )
    web.pages["/undeclared"] = answer(b"x" * (MB + 1), Content_Length="")
    failure = await refusal(
        f"http://127.0.0.1:{web.port}/undeclared", tmp_path / "a", OPEN, names()
    )
    assert failure.message == "Download exceeds the configured file size limit of 1 MB."
    web.pages["/just"] = answer(b"x" * MB)
    assert await fetch(f"http://127.0.0.1:{web.port}/just", tmp_path / "a", OPEN) == MB


async def test_a_stalled_download_times_out(web: Web, tmp_path: Path) -> None:
    web.pages["/a"] = answer(b"begun", Content_Length="100")
    web.silent.add("/a")
    rules = replace(OPEN, timeout_seconds=0.3)
    failure = await refusal(f"http://127.0.0.1:{web.port}/a", tmp_path / "a", rules, names())
    assert failure.message == "Download failed: it was not complete within 0.3 s."


async def test_a_broken_connection_is_reported(web: Web, tmp_path: Path) -> None:
    web.pages["/a"] = answer(b"half", Content_Length="8")
    failure = await refusal(f"http://127.0.0.1:{web.port}/a", tmp_path / "a", OPEN, names())
    assert type(failure) is ActionFailed
    assert failure.message == (
        "Download failed: peer closed connection without sending complete message body (received 4"
        " bytes, expected 8) (127.0.0.1)."
    )


async def test_certificates_are_checked_for_the_name_not_the_address(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path / "tls", "files.test")
    trusting = ssl.create_default_context(cafile=str(certificate))
    resolve = names(files_test="127.0.0.1", other_test="127.0.0.1")
    rules = replace(OPEN, allow_http=False)
    async with open_web(load_tls(certificate, key)) as web:
        web.pages["/a"] = answer(b"safe")
        good, other = (f"https://{name}.test:{web.port}/a" for name in ("files", "other"))
        target = tmp_path / "a"
        assert await fetch(good, target, rules, resolve=resolve, tls=trusting) == 4
        assert web.requests == [("/a", f"files.test:{web.port}")]
        assert web.names == ["files.test"]
        with pytest.raises(ActionFailed) as caught:
            await fetch(other, target, rules, resolve=resolve, tls=trusting)
        assert caught.value.message == (
            "Download failed: the certificate of other.test cannot be verified (Hostname mismatch,"
            " certificate is not valid for 'other.test'.). `download.allow_unverified_https` in"
            " Handheld's settings allows such servers."
        )
        failure = await refusal(good, target, rules, resolve)
        assert failure.message == (
            "Download failed: the certificate of files.test cannot be verified (self-signed"
            " certificate). `download.allow_unverified_https` in Handheld's settings allows such"
            " servers."
        )
        careless = replace(rules, allow_unverified_https=True)
        assert await fetch(other, target, careless, resolve=resolve) == 4
