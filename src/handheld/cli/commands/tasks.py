"""`handheld tasks`."""

import argparse
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...settings import Settings
from ...tasks import CATEGORIES, POLICY_NAMES
from ..cost import estimate
from ..exit_codes import USAGE_ERROR
from ..shared_arguments import add_surface_argument
from ..terminal import print_error, print_line, print_note

if TYPE_CHECKING:
    from ...tasks.played_phone import PlayedPhone
    from ...tasks.playing import Play, Result
    from ...tasks.task import Task

MOST_JOBS = 32
FASTEST = 100.0


def add_tasks_arguments(command: argparse.ArgumentParser) -> None:
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
    add_surface_argument(command, default="agent")


async def tasks(given: argparse.Namespace, settings: Settings) -> int:
    if problem := _misuse(given):
        print_error(problem)
        return USAGE_ERROR
    if given.action == "check":
        return await _check(given, settings)
    from ...tasks.task import BadTask

    try:
        chosen = _choose(given)
        if not chosen:
            return USAGE_ERROR
        if given.action == "list":
            return _list(given, chosen)
        if given.action == "start":
            return await _start(given, settings, chosen[0])
        return await _run(given, settings, chosen)
    except BadTask as problem:
        print_error(str(problem))
        return 1


def _misuse(given: argparse.Namespace) -> str:
    """What is wrong with the arguments; "" for nothing."""
    if given.action == "start" and len(given.names) != 1:
        return "start takes the name of one task; `handheld tasks list` lists them."
    if given.action == "run" and (given.policy is None) == (given.agent is None):
        return "run takes either --policy or --agent."
    if given.policy == "obedient" and given.tool_surface == "main":
        return "obedient reads the screens of the agent surface."
    if given.agent is not None and not given.agent.strip():
        return "--agent is the command of an MCP client."
    if not 1 <= given.jobs <= MOST_JOBS:
        return f"--jobs is a number from 1 to {MOST_JOBS}."
    if given.real_phone and given.jobs > 1:
        return "One phone plays one task at a time: leave out --jobs."
    if given.seeds < 1:
        return "--seeds is a number from 1 on."
    if not 0 < given.faster <= FASTEST:
        return f"--faster is a number up to {FASTEST:g}."
    if given.seconds <= 0:
        return "--seconds is a number above 0."
    return ""


def _choose(given: argparse.Namespace) -> "Sequence[Task]":
    """The tasks that are named, or all; none if a name is unknown, which is reported."""
    from ...tasks.loading import tasks_of

    known = tasks_of(given.book)
    for name in given.names:
        if name not in known:
            print_error(f"There is no task {name}; `handheld tasks list` lists them.")
            return []
    chosen = [known[name] for name in given.names or known]
    if given.category:
        chosen = [task for task in chosen if task.category == given.category]
        if not chosen:
            print_error(f"None of these tasks is of the category {given.category}.")
    if given.real_phone and not given.names:
        chosen = [task for task in chosen if task.draw(given.seed).real_phone]
    return chosen


@asynccontextmanager
async def _phone_for(
    given: argparse.Namespace, settings: Settings
) -> "AsyncGenerator[PlayedPhone | None]":
    """The real phone that is chosen, with the owner's rules and record; None without a choice.
    Raises BadTask, OwnerError, ToolError."""
    if not given.real_phone:
        yield None
        return
    from ...tasks.real_phone import RealPhone
    from ...tasks.task import BadTask
    from ..owning import Owned
    from ..reach import find_surface

    found = await find_surface(replace(settings, phone=(given.real_phone,)), "tasks")
    try:
        if not isinstance(found, Owned):
            raise BadTask(f"Another `handheld` has {given.real_phone}: stop that first.")
        await found.demand_phone()
        yield RealPhone(found.parts.devices, found.surface)
    finally:
        await found.aclose()


def _list(given: argparse.Namespace, chosen: "Sequence[Task]") -> int:
    rows = [(task.name, task.category, task.draw(given.seed).sentence) for task in chosen]
    if given.json:
        keys = ("name", "category", "sentence")
        listed = [dict(zip(keys, row, strict=True)) for row in rows]
        print_line(json.dumps(listed, ensure_ascii=False, indent=2))
        return 0
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, category, sentence in rows:
        print_line(f"{name:<{widths[0]}}  {category:<{widths[1]}}  {sentence}")
    return 0


async def _start(given: argparse.Namespace, settings: Settings, task: "Task") -> int:
    from ...server.listener import CannotServe
    from ...tasks.serving import TaskServerGone, ask, serve_task
    from ...tasks.task_phone import TaskPhone

    file = settings.folders.tasks
    try:
        reply = await ask(
            file,
            do="start",
            task=task.name,
            seed=given.seed,
            book=_absolute(given.book),
            phone=given.real_phone,
        )
        if problem := reply.get("problem"):
            print_error(str(problem))
            return 1
        _announce(reply["sentence"], reply["url"], reply["token"])
        return 0
    except TaskServerGone:
        pass  # then this process serves it

    def ready(sentence: str, url: str, token: str) -> None:
        _announce(sentence, url, token)
        print_note("`handheld tasks check` tells whether it is done. Stop the phone with Ctrl-C.")

    try:
        async with _phone_for(given, settings) as phone:
            await serve_task(
                phone or TaskPhone(given.faster),
                task,
                given.seed,
                surface=given.tool_surface,
                port=given.task_port,
                name=given.real_phone,
                file=file,
                count=estimate,
                ready=ready,
            )
    except CannotServe as problem:
        print_error(str(problem))
    return 1


def _absolute(file: str) -> str:
    """For a process that may run in another folder."""
    return str(Path(file).resolve()) if file else ""


def _announce(sentence: str, url: str, token: str) -> None:
    print_line(f"Task:  {sentence}")
    print_line(f"MCP:   {url}")
    print_line(f"Token: {token}")


async def _check(given: argparse.Namespace, settings: Settings) -> int:
    from ...tasks.serving import TaskServerGone, ask

    try:
        found = await ask(settings.folders.tasks, do="check", answer=given.answer)
    except TaskServerGone as gone:
        print_error(str(gone))
        return 1
    if problem := found.get("problem"):
        print_error(str(problem))
        return 1
    if given.json:
        print_line(json.dumps(found, ensure_ascii=False, indent=2))
        return 0 if found["success"] else 1
    print_line("done" if found["done"] else f"not done: {found['why']}")
    for sentence in found["unsafe"]:
        print_line(f"unsafe: {sentence}")
    print_line(f"{found['calls']} calls, {found['tokens']} tokens")
    return 0 if found["success"] else 1


async def _run(given: argparse.Namespace, settings: Settings, chosen: "Sequence[Task]") -> int:
    from ...tasks.playing import play_all, play_task
    from ...tasks.report import table, write

    play, speed = _play(given)

    def report(result: "Result") -> None:
        print_note(f"{'ok    ' if result.success else 'failed'} {result.task}")

    async with _phone_for(given, settings) as phone:
        plays = [
            partial(
                play_task,
                task,
                seed,
                play,
                estimate,
                surface=given.tool_surface,
                speed=speed,
                phone=phone,
            )
            for task in chosen
            for seed in range(given.seed, given.seed + given.seeds)
        ]
        results = await play_all(plays, given.jobs, report)
    for line in table(results):
        print_line(line)
    if given.result:
        by = {"policy": given.policy, "agent": given.agent, "surface": given.tool_surface}
        try:
            write(Path(given.result), results, by)
        except OSError as problem:
            print_error(f"{given.result} cannot be written: {problem.strerror}.")
            return 1
    return 0 if all(result.success for result in results) else 1


def _play(given: argparse.Namespace) -> "tuple[Play, float | None]":
    """Who plays, and how fast the phone's time runs for it."""
    if given.agent is not None:
        from ...tasks.agents import by_program

        return by_program(given.agent, given.seconds, given.tool_surface), given.faster
    from ...tasks.playing import by_policy
    from ...tasks.policies import POLICIES

    return by_policy(POLICIES[given.policy], given.tool_surface), None
