"""The arguments of `handheld record`."""

import argparse
from functools import partial


def add_record_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="what to write: FILE.mp4, or FILE.gif or FILE.webp, which are made of pictures at the"
        " changes of the screen (default: recording-DATE-TIME.mp4)",
    )
    command.add_argument(
        "--seconds",
        type=partial(_read_number, least=1, most=600),
        default=600,
        metavar="N",
        help="end it after this many seconds, at most 600; Ctrl-C ends it earlier",
    )
    command.add_argument(
        "--size",
        type=partial(_read_number, least=240, most=2560),
        default=1280,
        metavar="PIXELS",
        help="the longer side of the video, at most (default: 1280)",
    )


def _read_number(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
    return int(text)
