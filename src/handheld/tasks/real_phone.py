"""An owner's phone, for tasks that need no prepared state and whose checks adb can read."""

from contextlib import suppress

from ..access.phone_filter import PhonePool
from ..calls.choice import ChosenSurface
from ..clock import SYSTEM_CLOCK, Clock
from ..driver.apps import InFront
from ..phone.phone import Phone
from .facts import changes, unsafe
from .played_phone import PlayedPhone, TaskVerdict
from .real_facts import read_facts
from .task import AlreadyDone, BadTask, FactCheck, Task


class RealPhone(PlayedPhone):
    """Only the home screen is prepared, and a task's changes remain."""

    def __init__(
        self, phones: PhonePool, surface: ChosenSurface, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        super().__init__(surface)
        self._phones = phones
        self._clock = clock
        self._before: dict[str, str] = {}
        self._began = clock.now()

    async def start(self, task: Task, seed: int) -> str:
        plan = task.draw(seed)
        if not plan.real_phone or not isinstance(plan.check, FactCheck):
            raise BadTask(
                f"{task.name} needs a virtual phone; `handheld tasks list --phone SERIAL` lists"
                " what can be played on a real one."
            )
        phone = await self._phones.pick(None)
        before = await read_facts(phone)
        if not plan.check.judge(before, ""):
            raise AlreadyDone(f"{task.name} is done on this phone already: choose another --seed.")
        await self._leave(phone)
        self.task, self.seed, self.plan, self._before = task, seed, plan, before
        self.meter.calls = []
        self._began = self._clock.now()
        return plan.sentence

    async def _leave(self, phone: Phone) -> None:
        """Show the home screen, and stop the previous task's app, so it opens on its first page.
        Other apps are untouched."""
        async with phone.acting("tasks"):
            front = (await phone.driver.read_screen()).foreground
            await phone.driver.press("home")
            if self.task is not None and front is not None:
                with suppress(InFront):  # the home screen was in front
                    await phone.driver.stop(front[0])

    @property
    def phone_seconds(self) -> float:
        return self._clock.now() - self._began

    async def check(self, answer: str) -> TaskVerdict:
        assert self.plan is not None, "no task was started"
        assert isinstance(self.plan.check, FactCheck), "start refuses others"
        after = await read_facts(await self._phones.pick(None))
        why = self.plan.check.judge(after, answer)
        return TaskVerdict(not why, why, unsafe(changes(self._before, after), self.plan.may_change))

    async def aclose(self) -> None:
        """The phone is not ours to close."""
