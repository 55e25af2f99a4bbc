"""The arguments of `handheld steps`."""

import argparse


def add_step_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "action",
        choices=("list", "show", "edit", "accept", "remove", "export", "import"),
        help="what to do; accept takes what an agent proposed, and lets every client use the steps",
    )
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="the steps; with import: the file to import"
    )
    command.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="with edit: the new steps as JSON, instead of an editor; with export: the file to"
        " write (- is stdin or stdout)",
    )
    command.add_argument(
        "--for", dest="only", metavar="PHONE", help="those of this phone, by slug or serial"
    )
    command.add_argument(
        "--as",
        dest="form",
        choices=("json", "pytest"),
        help="with export: json to share the steps (default), or a pytest script that does them on"
        " a virtual phone",
    )
    command.add_argument(
        "--shown",
        metavar="DIGEST",
        help="with accept: what show printed last, so only those steps are accepted",
    )
