"""`dumpsys audio`: only the volumes."""

from ...system.volumes import STREAMS
from ..call import CommandCall

_SPEAKER, _DEFAULT = "2 (speaker)", "40000000 (default)"


async def audio(call: CommandCall) -> None:
    world = call.phone.world
    lines = ["", "Stream volumes (device: index)"]
    for stream in STREAMS:
        level = world.volumes[stream]
        lines += [
            f"- {stream.name}:",
            "   Muted: false",
            f"   Min: {stream.least}",
            f"   Max: {stream.most}",
            *([f"   streamVolume:{level}"] if world.android.audio_volume_dumped else []),
            f"   Current: {_SPEAKER}: {level}, {_DEFAULT}: {stream.first}",
            "   Devices: speaker",
            "",
        ]
    await call.write("\n".join(lines) + "\n")
