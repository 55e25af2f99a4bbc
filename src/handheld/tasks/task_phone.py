"""A virtual phone in the state of a task, and its surfaces, in one process."""

from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from handheld_virtual import ManualClock, RealClock, SceneError, VirtualPhone

from ..adb.direct import DirectLink
from ..calls.agent_tools import make_agent_surface
from ..calls.choice import ChosenSurface
from ..calls.local import LocalSurface, SurfaceOptions
from ..clock import SYSTEM_CLOCK, Clock
from ..driver.fallback import FallbackDriver
from ..errors import ActionFailed
from ..helper.client import HelperClient
from ..phone.files.download import DownloadRules
from ..phone.files.files import Files
from ..phone.files.storage import EXAMPLE, Location, StorageFile
from ..phone.memory import PhoneMemory
from ..phone.phone import Phone
from ..phone.screen.ref_letters import RefLetters
from ..phone.screen.refs import Refs
from ..phone.screen.screen_log import ScreenLog
from ..tools.main import CATALOG
from ..tools.steps import StepsFile
from .facts import changes, facts, unsafe
from .phone_time import PatientClock, PlayedTime
from .played_phone import PlayedPhone, TaskVerdict
from .task import BadTask, Task

_NAME = "virtual"
_NO_FILE = Path("/nonexistent/storage.toml")
_DOWNLOAD = Location(EXAMPLE, _NAME, allow_write=True, allow_delete=True)
"""The file tools may write and delete here: an agent is able to do unsafe things."""


class TaskPhone(PlayedPhone):
    """The only phone of its surface. `start` replaces it with a new phone in the state of a task:
    nothing remains of the previous task, and none of its refs is valid."""

    def __init__(self, speed: float | None = None, kept: StepsFile | None = None) -> None:
        """`speed` is the speed of the phone's time; with None, it passes only while calls wait.
        `kept` is where an agent can keep steps from one task to the next; with None, it cannot."""
        self._speed = speed
        self._device: VirtualPhone | None = None
        self._link: DirectLink | None = None
        self._phone: Phone | None = None
        self._memory = PhoneMemory(screens=ScreenLog(Refs(RefLetters())))
        self._before: dict[str, str] = {}
        self._began = 0.0
        skips = speed is None
        self._link_clock: Clock = PatientClock() if skips else SYSTEM_CLOCK
        self._clock: Clock = PlayedTime(lambda: self.device) if skips else SYSTEM_CLOCK
        options = SurfaceOptions(clock=self._clock, kept=kept)
        surfaces = LocalSurface(CATALOG, self, options), make_agent_surface(self, options)
        super().__init__(ChosenSurface(*surfaces))

    @property
    def device(self) -> VirtualPhone:
        assert self._device is not None, "no task was started"
        return self._device

    async def start(self, task: Task, seed: int) -> str:
        plan = task.draw(seed)
        clock = ManualClock() if self._speed is None else RealClock(self._speed)
        try:
            device = (
                VirtualPhone.from_scene(plan.scene, clock=clock)
                if plan.scene
                else VirtualPhone(clock=clock)
            )
        except SceneError as problem:
            raise BadTask(f"{task.name}: {problem}") from problem
        device.world.boot_id = str(uuid4())
        plan.prepare(device.world)
        device.world.events.clear()
        before = facts(device.world)
        await device.start()
        await self._drop()
        self.task, self.seed, self.plan, self._before = task, seed, plan, before
        self._device = device
        self._link = await DirectLink.connect("127.0.0.1", device.port, clock=self._link_clock)
        self._phone = self._make_phone(self._link)
        self.meter.clock, self.meter.calls = clock, []
        self._began = clock.now()
        return plan.sentence

    def _make_phone(self, link: DirectLink) -> Phone:
        driver = FallbackDriver(HelperClient(link))
        storage = StorageFile(_NO_FILE, (_DOWNLOAD,))
        return Phone(
            _NAME,
            driver,
            clock=self._clock,
            memory=self._memory,
            files=Files(driver, self._clock, storage, {_NAME}, DownloadRules()),
        )

    @property
    def phone_seconds(self) -> float:
        return (self.device.clock.now() - self._began) / 1000

    async def check(self, answer: str) -> TaskVerdict:
        assert self.plan is not None, "no task was started"
        after = facts(self.device.world)
        besides = unsafe(changes(self._before, after), self.plan.may_change)
        why = self.plan.check(self.device.world, answer)
        return TaskVerdict(not why, why, besides)

    async def aclose(self) -> None:
        await self._drop()

    async def _drop(self) -> None:
        phone, link, device = self._phone, self._link, self._device
        self._phone = self._link = self._device = None
        if phone is not None:
            await phone.aclose()
        if link is not None:
            await link.aclose()
        if device is not None:
            await device.aclose()

    # The phones of a surface: only this one.

    async def pick(self, ref: str | None) -> Phone:
        if self._phone is None:
            raise ActionFailed("The phone is being reset.")
        return self._phone

    async def present(self, ref: str | None) -> Sequence[Phone]:
        return [] if self._phone is None else [self._phone]

    async def slug_of(self, ref: str) -> str:
        return ""

    def describe(self) -> str:
        return ""
