"""Fetches a file from the web to this computer.

The URL is untrusted: it must not lead into this network. So a host name is resolved once, every
address is checked, and the connection goes to a checked address.
"""

import ipaddress
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ...clock import SYSTEM_CLOCK, Clock
from ...errors import ActionFailed, InvalidParams
from ...progress import report
from ...screen.characters import plain
from ...screen.text import brief, cut
from .name_lookup import NameLookup

if TYPE_CHECKING:
    import httpx

REDIRECTS = 5
MEGABYTE = 1024 * 1024
_CHUNK = 64 * 1024
_SHOWN = 300
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_TRANSLATED = ipaddress.IPv6Network("::ffff:0:0:0/96")
_IPV4_COMPATIBLE = ipaddress.IPv6Network("::/96")
_NOT_PUBLIC = (
    *map(ipaddress.IPv4Network, ("192.0.0.0/24", "192.88.99.0/24")),
    *map(
        ipaddress.IPv6Network,
        ("64:ff9b:1::/48", str(_TRANSLATED), "100:0:0:1::/64", "3fff::/20", "5f00::/16"),
    ),
)
"""Special-purpose networks that Python 3.11 considers public: translation, relays, examples,
segment routing."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Resolves a host name to addresses. Raises OSError."""


@dataclass(frozen=True, slots=True)
class DownloadRules:
    """The owner's rules for downloads."""

    size_limit_mb: int = 50
    allow_http: bool = False
    allow_unverified_https: bool = False
    allow_private_addresses: bool = False
    timeout_seconds: float = 60


async def fetch(
    url: str,
    target: Path,
    rules: DownloadRules,
    clock: Clock = SYSTEM_CLOCK,
    *,
    resolve: Resolve | None = None,
    tls: ssl.SSLContext | None = None,
) -> int:
    """Write the response of `url` into `target`, and return the number of bytes. After a failure,
    `target` may hold a part. `tls` replaces the default certificates."""
    try:
        async with clock.timeout(rules.timeout_seconds):
            return await _fetch(url, target, rules, resolve or NameLookup(), tls)
    except TimeoutError:
        raise ActionFailed(
            f"Download failed: it was not complete within {rules.timeout_seconds:g} s."
        ) from None
    except OSError as problem:
        raise ActionFailed(
            f"Download failed: this computer cannot keep the file ({problem.strerror})."
        ) from problem


async def _fetch(
    url: str, target: Path, rules: DownloadRules, resolve: Resolve, tls: ssl.SSLContext | None
) -> int:
    # Slow to import, and most calls do not need it.
    import httpx

    shown = brief(url, _SHOWN)
    try:
        parsed = _usable(httpx.URL(url))
    except (httpx.InvalidURL, ValueError):
        raise InvalidParams(f"Invalid URL: {shown}") from None
    verify: ssl.SSLContext | bool = tls or not rules.allow_unverified_https
    headers = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": "handheld"}
    async with httpx.AsyncClient(
        trust_env=False,
        verify=verify,
        timeout=rules.timeout_seconds,
        headers=headers,
        # The pool identifies connections by address, which two hosts may share: reuse none.
        limits=httpx.Limits(max_keepalive_connections=0),
    ) as client:
        for _ in range(REDIRECTS + 1):
            _check_scheme(parsed, shown, rules)
            addresses = await _checked_addresses(parsed, rules, resolve)
            try:
                response = await _ask(client, parsed, addresses)
            except httpx.HTTPError as problem:
                raise _failed(problem, parsed) from problem
            except (httpx.InvalidURL, ValueError) as problem:
                # The library parses the redirect's target, even if it must not follow.
                raise ActionFailed(
                    f"Download failed: {plain(parsed.host)} redirected it to what is no web"
                    " address."
                ) from problem
            try:
                if not response.has_redirect_location:
                    return await _keep(response, target, shown, rules)
                parsed = _next(parsed, response.headers["Location"])
            except httpx.HTTPError as problem:
                raise _failed(problem, parsed) from problem
            finally:
                await response.aclose()
    raise ActionFailed(f"Download failed: more than {REDIRECTS} redirects.")


def _usable(url: "httpx.URL") -> "httpx.URL":
    """Raises ValueError or InvalidURL if the library accepted an impossible host, port or path."""
    if not url.raw_host.isascii() or b"%" in url.raw_host or not 0 < (url.port or 80) < 65536:
        raise ValueError("not a host")
    # Both are needed later, and fail for `xn--a` and for a path of backslashes.
    if url.host:
        url.copy_with(host=url.raw_host.decode("ascii"))
    return url


def _check_scheme(url: "httpx.URL", shown: str, rules: DownloadRules) -> None:
    if not url.scheme or (url.scheme in ("http", "https") and not url.host):
        raise InvalidParams(f"Invalid URL: {shown}")
    if url.scheme not in ("http", "https"):
        raise InvalidParams(
            f"Unsupported URL protocol: {brief(url.scheme)}. Only HTTP and HTTPS are supported."
        )
    if url.scheme == "http" and not rules.allow_http:
        raise ActionFailed(
            "HTTP downloads are not allowed. Enable `download.allow_http` in Handheld's settings,"
            " or use an HTTPS URL."
        )


async def _checked_addresses(
    url: "httpx.URL", rules: DownloadRules, resolve: Resolve
) -> list[Address]:
    host = url.raw_host.decode("ascii")
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        addresses = [ipaddress.ip_address(host)]
    except ValueError:
        try:
            named = await resolve(host, port)
            addresses = [ipaddress.ip_address(name) for name in named]
        except (OSError, UnicodeError, ValueError):
            addresses = []
    if not addresses:
        raise ActionFailed(f"Download failed: the name {plain(host)} cannot be resolved.")
    for address in addresses:
        if not _is_allowed(address, rules.allow_private_addresses):
            raise ActionFailed(
                f"Downloads from {plain(host)} are not allowed: {address} is not a public address."
                + (
                    ""
                    if rules.allow_private_addresses
                    else " `download.allow_private_addresses` in Handheld's settings allows"
                    " addresses of this computer and its networks."
                )
            )
    return addresses


def _is_allowed(address: Address, private: bool) -> bool:
    return all(_is_allowed_itself(each, private) for each in (address, *_embedded(address)))


def _is_allowed_itself(address: Address, private: bool) -> bool:
    if address.is_multicast or address.is_unspecified:
        return False
    own = address.is_loopback or address.is_private or address.is_link_local
    own = own or any(address in network for network in _NOT_PUBLIC)
    if isinstance(address, ipaddress.IPv6Address):
        own = own or address.is_site_local
        # A mapped address counts as its IPv4 address, which `_is_allowed` checks as well.
        if private and address.ipv4_mapped is not None:
            return True
    if private and own:
        return str(address) != "255.255.255.255"
    return address.is_global and not own


def _embedded(address: Address) -> list[ipaddress.IPv4Address]:
    """Return the IPv4 addresses embedded in an IPv6 address, which may receive the traffic."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if (
        address in _NAT64
        or address in _TRANSLATED
        or (address in _IPV4_COMPATIBLE and int(address) > 1)
    ):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [embedded for embedded in found if embedded is not None]


async def _ask(
    client: "httpx.AsyncClient", url: "httpx.URL", addresses: list[Address]
) -> "httpx.Response":
    """Send the request to the first address that accepts a connection, under the host's name."""
    import httpx

    host = url.raw_host.decode("ascii")
    for address in addresses:
        request = client.build_request("GET", url)
        # The `Host` header already has the name; only the destination changes.
        request.url = url.copy_with(host=str(address))
        request.extensions["sni_hostname"] = host
        try:
            return await client.send(request, stream=True, follow_redirects=False)
        except (httpx.ConnectError, httpx.ConnectTimeout) as problem:
            if address is addresses[-1] or _certificate_problem(problem):
                raise
    raise AssertionError("there is at least one address")


async def _keep(response: "httpx.Response", target: Path, shown: str, rules: DownloadRules) -> int:
    if not 200 <= response.status_code <= 299:
        raise ActionFailed(
            f"Download failed with HTTP status {response.status_code} for URL: {shown}"
        )
    limit = rules.size_limit_mb * MEGABYTE
    declared = response.headers.get("Content-Length", "")
    known = declared.isascii() and declared.isdigit() and len(declared) < 20
    total = int(declared) if known else None
    if total is not None and total > limit:
        raise ActionFailed(
            f"Server reports file size of {total} bytes, which exceeds the configured limit of"
            f" {rules.size_limit_mb} MB."
        )
    size = 0
    # Not in a thread: a thread abandoned while it opens the file would leak it.
    with target.open("wb") as file:
        # Raw bytes, without decoding: `Accept-Encoding` asked for no compression.
        raw = cast(AsyncGenerator[bytes, None], response.aiter_raw(_CHUNK))
        async with aclosing(raw) as chunks:
            async for chunk in chunks:
                report(size, total, "Downloading the file")
                size += len(chunk)
                if size > limit:
                    raise ActionFailed(
                        "Download exceeds the configured file size limit of"
                        f" {rules.size_limit_mb} MB."
                    )
                file.write(chunk)
    return size


def _next(url: "httpx.URL", location: str) -> "httpx.URL":
    import httpx

    try:
        following = _usable(url.join(location))
    except (httpx.InvalidURL, ValueError):
        following = httpx.URL()
    if following.scheme not in ("http", "https") or not following.host:
        raise ActionFailed(
            f"Download failed: it was redirected to what is no web address:"
            f" {brief(location, _SHOWN)}"
        )
    return following


def _certificate_problem(problem: BaseException | None) -> ssl.SSLCertVerificationError | None:
    while problem is not None:
        if isinstance(problem, ssl.SSLCertVerificationError):
            return problem
        problem = problem.__cause__ or problem.__context__
    return None


def _failed(problem: "httpx.HTTPError", url: "httpx.URL") -> ActionFailed:
    host = plain(url.host)
    if certificate := _certificate_problem(problem):
        return ActionFailed(
            f"Download failed: the certificate of {host} cannot be verified"
            f" ({plain(certificate.verify_message)}). `download.allow_unverified_https` in"
            " Handheld's settings allows such servers."
        )
    reason = cut(plain(str(problem)), _SHOWN) or type(problem).__name__
    return ActionFailed(f"Download failed: {reason.rstrip('.')} ({host}).")
