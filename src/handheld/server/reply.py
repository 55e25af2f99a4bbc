"""The response to a request that ran, held until it is complete."""

from .exchange import Exchange, Headers


class Reply:
    def __init__(self, status: int = 500, body: bytes = b"", *, typed: bool = True) -> None:
        self.status = status
        self.headers: Headers = [(b"content-type", b"application/json")] if typed else []
        self.body = body

    async def send(self, exchange: Exchange) -> None:
        length = str(len(self.body)).encode("ascii")
        await exchange.send(self.status, self.body, [*self.headers, (b"content-length", length)])
