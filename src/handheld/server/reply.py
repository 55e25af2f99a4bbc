"""The response of an application behind the edge, held until it is complete."""

from .exchange import Event, Exchange, Headers


class Reply:
    def __init__(self, status: int = 500, body: bytes = b"", *, typed: bool = True) -> None:
        self.status = status
        self.headers: Headers = [(b"content-type", b"application/json")] if typed else []
        self.body = body

    def take(self, event: Event) -> None:
        """Add one ASGI event."""
        if event["type"] == "http.response.start":
            self.status = event["status"]
            self.headers = [
                (name, value) for name, value in event["headers"] if name != b"content-length"
            ]
        elif event["type"] == "http.response.body":
            self.body += event.get("body", b"")

    async def send(self, exchange: Exchange) -> None:
        length = str(len(self.body)).encode("ascii")
        await exchange.send(self.status, self.body, [*self.headers, (b"content-length", length)])
