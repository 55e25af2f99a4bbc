"""An app that crashes, hangs and logs errors on request."""

from ..packages.app import Activity, App
from ..packages.deaths import crash_natively, leak
from ..packages.error_reports import JavaException
from ..views.drawing import theme
from ..views.layout import Column, Scroll
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, Text
from ..views.widgets.parts import Toolbar

LATER_MS = 3000
LEAKED = 98_304
"""In kilobytes."""
_FRAMES = (
    "android.view.View.performClick(View.java)",
    "android.os.Handler.dispatchMessage(Handler.java)",
    "android.os.Looper.loop(Looper.java)",
    "android.app.ActivityThread.main(ActivityThread.java)",
)


class CrashScreen(Activity):
    name = ".MainActivity"

    def content(self) -> View:
        assert isinstance(self.app, CrashTest)
        if self.app.hangs:  # the hanging process has been killed
            self.app.hangs = False
            self.world.frozen_packages.discard(self.app.package)
        self.state = Text(
            "Ready", id="state", size=16, width=MATCH, color=theme.ON_SURFACE_DIM, padding=(4, 0)
        )
        buttons = (
            ("Crash", "crash", self._crash),
            (f"Crash in {LATER_MS // 1000} seconds", "crash_later", self._crash_later),
            ("Hang", "hang", self._hang),
            ("Log an error", "log_error", self._log),
            ("Crash in native code", "crash_natively", self._crash_natively),
            ("Leak memory", "leak", self._leak),
        )
        return Column(
            Toolbar("Crash test"),
            Scroll(
                Column(
                    self.state,
                    *(
                        Button(words, action, id=id, width=MATCH, height=52, size=16)
                        for words, id, action in buttons
                    ),
                    gap=16,
                    padding=24,
                    width=MATCH,
                ),
                width=MATCH,
                height=0,
                weight=1,
            ),
        )

    def _crash(self) -> None:
        self._throw("onClick")

    def _crash_later(self) -> None:
        self.state.text = "It will crash"
        self.world.timers.after(LATER_MS, lambda: self._throw("later"))

    def _throw(self, method: str) -> None:
        # A second crash needs a process, and the activity may be closed.
        own = f"{self.class_name}.{method}(MainActivity.java:42)"
        self.world.running.crash(
            self.app,
            JavaException("java.lang.IllegalStateException", "Crash test", own, *_FRAMES),
        )

    def _crash_natively(self) -> None:
        crash_natively(self.world, self.app)

    def _leak(self) -> None:
        """Leak memory; after a few calls none is left."""
        self.state.text = "It leaks"
        leak(self.world, self.app, LEAKED)

    def _hang(self) -> None:
        """Hang until the process is killed."""
        assert isinstance(self.app, CrashTest)
        self.app.hangs = True
        self.state.text = "It hangs"
        self.world.frozen_packages.add(self.app.package)

    def _log(self) -> None:
        self.app.log(
            "E",
            "CrashTest",
            "Cannot read the configuration\njava.io.FileNotFoundException: /data/local/none: open "
            "failed: ENOENT (No such file or directory)\n"
            f"\tat {self.class_name}.read(MainActivity.java:57)",
        )
        self.state.text = "An error was logged"


class CrashTest(App):
    package, label = "dev.handheld.crashtest", "Crash test"
    screens = (CrashScreen,)
    icon, color = "warning", (179, 38, 30)
    hangs = False
