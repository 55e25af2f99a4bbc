# pyright: basic, reportMissingImports=false
"""Drives the only phone with mobilerun-core: takes calls as lines on stdin and answers each with a
line. Runs in that library's own environment."""

import json
import sys

from mobilerun_core import Mobilerun


def main() -> None:
    phone = Mobilerun().list_devices(scope="local")[0]
    for line in sys.stdin:
        match json.loads(line):
            case ["read", _]:
                said = phone.ui_json()
            case ["tap", {"x": x, "y": y}]:
                said = phone.tap(x, y)
            case ["click", {"resource_id": id}]:
                (node,) = phone.find_nodes_on_screen(resource_id=id)
                said = phone.tap_node(node)
            case ["type", {"text": text}]:
                said = phone.type(text)
            case ["scroll", {"text": text}]:
                said = phone.scroll_until(text=text, direction="up")
            case ["screenshot", _]:
                said = phone.screenshot()
            case other:
                sys.exit(f"There is no action {other}")
        sys.stdout.write(json.dumps(str(said)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
