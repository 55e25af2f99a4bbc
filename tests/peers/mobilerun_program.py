# pyright: basic, reportMissingImports=false
"""Drives the only phone with mobilerun-core and prints what it saw. Runs in that library's own
environment: mobilerun_program.py PACKAGE ID-OF-THE-FORMULA ID-OF-A-KEY"""

import json
import sys

from mobilerun_core import Mobilerun


def main(package: str, formula: str, key: str) -> None:
    devices = Mobilerun().list_devices(scope="local")
    phone = devices[0]
    phone.start_app(package)
    (before,) = phone.find_nodes(resource_id=formula)
    (seven,) = phone.find_nodes_on_screen(resource_id=key)
    phone.tap_node(seven)
    (after,) = phone.find_nodes(resource_id=formula)
    saw = {
        "devices": [each.device_id for each in devices],
        "formula before": before["text"],
        "formula after": after["text"],
        "app": phone.current_app_id(),
        "screen": list(phone.screen_size()),
        "has the calculator": package
        in [each["app_id"] for each in phone.list_apps(include_system_apps=True)],
        "picture begins": phone.screenshot()[:11],
    }
    phone.key("home")
    saw["app after home"] = phone.current_app_id()
    sys.stdout.write(json.dumps(saw))


if __name__ == "__main__":
    main(*sys.argv[1:])
