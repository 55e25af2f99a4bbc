"""Ports for programs that cannot choose one themselves and say which."""

import socket


def keep_port(port: int = 0) -> int:
    """A port on loopback, or this one, kept to the end of this process. Raises OSError if it is in
    use.

    A socket stays bound to it and does not listen: a program may listen on the port if it is told
    to (with SO_REUSEADDR, which servers set), and the system gives it to nobody who asks for any.
    """
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", port))
        # Only now: with it, the port that another process keeps could be bound, too.
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port = kept.getsockname()[1]
        kept.detach()
    return port
