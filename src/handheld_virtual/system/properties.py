"""The phone's properties: what `getprop` lists."""

from typing import TYPE_CHECKING

from .android import Android

if TYPE_CHECKING:
    from ..phone import VirtualPhone

LONGEST = 91
"""The maximum length of a value."""
MOST = 1000
_FREE = ("debug.", "log.", "persist.log.tag", "shell.")
"""Prefixes of the names that the shell may set."""


def fingerprint(android: Android, device: str = "virtual") -> str:
    """The fingerprint of the build."""
    version, build = android.version, android.build_id
    return f"handheld/handheld_{device}/{device}:{version}/{build}/1:user/release-keys"


def fixed_properties(
    android: Android, serial: str, device: str, model: str, density: int
) -> dict[str, str]:
    """The properties that the build and the boot set."""
    version, build = android.version, android.build_id
    name = f"handheld_{device}"
    values = {
        "debug.force_rtl": "false",
        "dev.bootcomplete": "1",
        "init.svc.adbd": "running",
        "init.svc.bootanim": "stopped",
        "init.svc.zygote": "running",
        "persist.sys.locale": "en-US",
        "persist.sys.timezone": "GMT",
        "persist.sys.usb.config": "adb",
        "ro.adb.secure": "1",
        "ro.arch": "arm64",
        "ro.board.platform": "virtual",
        "ro.boot.hardware": "virtual",
        "ro.boot.qemu": "0",
        "ro.boot.serialno": serial,
        "ro.boot.verifiedbootstate": "green",
        "ro.boot.veritymode": "enforcing",
        "ro.bootmode": "unknown",
        "ro.build.characteristics": "default",
        "ro.build.date.utc": "1700000000",
        "ro.build.description": f"{name}-user {version} {build} 1 release-keys",
        "ro.build.display.id": build,
        "ro.build.fingerprint": fingerprint(android, device),
        "ro.build.flavor": f"{name}-user",
        "ro.build.host": "handheld",
        "ro.build.id": build,
        "ro.build.product": device,
        "ro.build.tags": "release-keys",
        "ro.build.type": "user",
        "ro.build.user": "handheld",
        "ro.build.version.all_codenames": "REL",
        "ro.build.version.codename": "REL",
        "ro.build.version.incremental": "1",
        "ro.build.version.release": version,
        "ro.build.version.sdk": str(android.api),
        "ro.build.version.security_patch": android.security_patch,
        "ro.crypto.state": "encrypted",
        "ro.crypto.type": "file",
        "ro.debuggable": "0",
        "ro.hardware": "virtual",
        "ro.product.board": "virtual",
        "ro.product.brand": "handheld",
        "ro.product.cpu.abi": "arm64-v8a",
        "ro.product.cpu.abilist": "arm64-v8a",
        "ro.product.cpu.abilist32": "",
        "ro.product.cpu.abilist64": "arm64-v8a",
        "ro.product.device": device,
        "ro.product.first_api_level": str(android.api),
        "ro.product.locale": "en-US",
        "ro.product.manufacturer": "Handheld",
        "ro.product.model": model,
        "ro.product.name": name,
        "ro.secure": "1",
        "ro.serialno": serial,
        "ro.sf.lcd_density": str(density),
        "ro.treble.enabled": "true",
        "ro.zygote": "zygote64",
        "sys.boot_completed": "1",
        "sys.usb.config": "adb",
        "sys.usb.state": "adb",
    }
    if android.partition_properties:
        values["ro.build.version.release_or_codename"] = version
        for part in ("brand", "device", "manufacturer", "model", "name"):
            values[f"ro.product.system.{part}"] = values[f"ro.product.{part}"]
    return values


def all_properties(phone: "VirtualPhone") -> dict[str, str]:
    """All properties by name, including those that follow the phone's state."""
    telephony = phone.world.telephony
    cards = {sim.slot: sim for sim in telephony.active_sims}
    slots = [cards.get(slot) for slot in range(2)]
    served = [
        sim
        if sim is not None and telephony.radio_on and sim.id not in telephony.out_of_service
        else None
        for sim in slots
    ]
    live = {
        "gsm.network.type": ",".join("LTE" if sim is not None else "Unknown" for sim in served),
        "gsm.operator.alpha": ",".join(sim.carrier if sim is not None else "" for sim in served),
        "gsm.operator.iso-country": ",".join(
            sim.country if sim is not None else "" for sim in served
        ),
        "gsm.operator.numeric": ",".join(
            sim.mcc + sim.mnc if sim is not None else "" for sim in served
        ),
        "gsm.sim.state": ",".join("LOADED" if sim is not None else "ABSENT" for sim in slots),
    }
    chosen = {"persist.sys.locale": phone.world.languages.system[0]}
    return dict(sorted({**live, **phone.properties, **chosen}.items()))


def may_set(name: str) -> bool:
    return name.startswith(_FREE)
