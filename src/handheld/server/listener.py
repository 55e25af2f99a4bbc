"""The socket that a server listens on, and the errors of opening it."""

import errno
import socket
from dataclasses import dataclass


class CannotServe(Exception):
    """The server cannot start; the message gives the reason and what to do."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens."""

    host: str
    port: int
    tls: bool = False

    @property
    def url(self) -> str:
        """The MCP endpoint for clients on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104
        host = f"[{host}]" if ":" in host and not host.startswith("[") else host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}/mcp"


def listen(host: str, port: int, flag: str = "--port") -> socket.socket:
    """Open the socket. Raises CannotServe; `flag` is the one that chooses another port."""
    if not 0 <= port <= 65535:
        # getaddrinfo would use the number modulo 65536.
        raise CannotServe(f"There is no port {port}; choose one from 1024 to 65535 with {flag}.")
    try:
        listener = bind(host, port)
    except (socket.gaierror, UnicodeError) as error:
        raise CannotServe(
            f"{host}:{port} is not an address to listen on; choose another."
        ) from error
    except OSError as error:
        raise CannotServe(_why_not(error, host, port, flag)) from error
    try:
        listener.listen(128)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise CannotServe(_why_not(error, host, port, flag)) from error
    return listener


def bind(host: str, port: int) -> socket.socket:
    """Bind a socket to the server's address. Raises OSError, UnicodeError."""
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    # IPv4 first: for most clients `localhost` is 127.0.0.1.
    family, kind, protocol, _, at = min(found, key=lambda each: each[0] != socket.AF_INET)
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(at)
    except OSError:
        bound.close()
        raise
    return bound


def _why_not(error: OSError, host: str, port: int, flag: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is in use by another program; stop it, or choose another "
            f"port with {flag}."
        )
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is not an address of this machine; choose another with --host."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"Port {port} may not be used by this user; choose one above 1023 with {flag}."
    return f"The server cannot listen on {host}:{port}: {error.strerror}."
