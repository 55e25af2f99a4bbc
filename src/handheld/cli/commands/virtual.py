"""The arguments of `handheld virtual`, for the pages that describe every command. When it runs, it
parses them itself, without settings."""

import argparse


def add_virtual_arguments(command: argparse.ArgumentParser) -> None:
    from handheld_virtual.command_line import add_arguments

    add_arguments(command)
