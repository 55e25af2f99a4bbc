"""Network addresses in options."""


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        from ipaddress import ip_address

        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def split_address(text: str) -> tuple[str, int] | None:
    """Split `HOST:PORT` or `[IPv6]:PORT`; None if it is neither."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isascii() or not port.isdigit():
        return None
    return (host, int(port)) if 0 < int(port) < 65536 else None


def find_url_fault(url: str) -> str:
    """Why this is not a usable URL of a web server, as part of a sentence; "" if it is."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        name, _ = parts.hostname or "", parts.port
    except ValueError:
        return "it is not the URL of a web server"
    plain = url.isascii() and url.isprintable() and not any(char in url for char in ' "\\@?#')
    if not name or not plain or len(url) > 150:
        return "it is not the URL of a web server"
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(name)):
        return ""
    return "it must begin with https://; http:// is enough only on this machine"
