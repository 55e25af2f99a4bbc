"""The arguments of `handheld tasks`."""

import argparse

from ..tasks import CATEGORIES, POLICY_NAMES


def add_task_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("action", choices=("list", "start", "check", "run"), help="what to do")
    command.add_argument(
        "names", nargs="*", default=[], metavar="NAME", help="the tasks; left out: all"
    )
    command.add_argument(
        "--category",
        choices=CATEGORIES,
        help="only tasks of this category",
    )
    command.add_argument(
        "--book",
        default="",
        metavar="FILE.py",
        help="the tasks of this file, not the built-in ones",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="draws the parameters of a task"
    )
    command.add_argument(
        "--seeds", type=int, default=1, metavar="N", help="with run: how many seeds, from --seed on"
    )
    who = command.add_mutually_exclusive_group()
    who.add_argument("--policy", choices=POLICY_NAMES, help="with run: a built-in player")
    who.add_argument(
        "--agent",
        metavar="COMMAND",
        help="with run: start this MCP client for each task, with PHONE_TASK_URL, PHONE_TASK_TOKEN"
        " and PHONE_TASK in its environment; the last line that it prints is its answer",
    )
    command.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="with run: how many phones at a time"
    )
    command.add_argument(
        "--seconds",
        type=float,
        default=300.0,
        metavar="N",
        help="with --agent: the time for a task; default: 300",
    )
    command.add_argument(
        "--faster",
        type=float,
        default=1.0,
        metavar="N",
        help="the phone's clock runs N times as fast; built-in players need not wait at all",
    )
    command.add_argument(
        "--phone",
        dest="real_phone",
        default="",
        metavar="SERIAL|HOST:PORT",
        help="with list, start and run: a real phone, for the tasks that need no prepared one",
    )
    command.add_argument("--result", metavar="FILE", help="with run: write the results as JSON")
    command.add_argument(
        "--answer", default="", metavar="TEXT", help="with check: what the agent answered"
    )
    command.add_argument(
        "--task-port", type=int, default=0, metavar="PORT", help="with start: where to serve MCP"
    )
    command.add_argument("--json", action="store_true", help="with list and check: print JSON")
