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
