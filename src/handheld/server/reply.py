"""The response of an application behind the edge, held until it is complete."""

import json
from typing import Any, cast

from .envelope import dump, tidy
from .exchange import Event, Exchange, Headers, HttpRefusal


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

    def replace_instructions(self, instructions: str) -> None:
        """Put the client's own instructions in place of the general ones."""
        answer: Any = json.loads(self.body)
        if isinstance(answer.get("result"), dict):
            answer["result"].pop("instructions", None)
            if instructions:
                answer["result"]["instructions"] = instructions
            self.body = dump(answer)

    def tidy(self) -> None:
        """Replace the wording of SDK errors with ours."""
        if self.status < 400 and (len(self.body) >= 100_000 or b'"error":' not in self.body):
            return
        try:
            answer: Any = json.loads(self.body)
        except ValueError:
            answer = {}
        error: Any = answer.get("error")
        if isinstance(error, dict):
            self.body = dump({**answer, "error": tidy(cast("dict[str, Any]", error))})
        elif self.status >= 400:
            raise HttpRefusal(self.status, "refused", "The request cannot be served in this form.")
