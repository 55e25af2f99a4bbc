"""A login form, followed by a page that uses the camera and sends notifications."""

from ..packages.app import Activity, App
from ..views.drawing import theme
from ..views.drawing.pen import Pen
from ..views.layout import Column, Row, Scroll
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, CheckBox, IconButton, Image, Text
from ..views.widgets.field import Field
from ..views.widgets.parts import Avatar, Toolbar

ACCOUNTS = {"ada": "lovelace1815", "grace": "cobol-1959"}
"""User names and passwords."""
_DEMO = "ada"
"""The account that the form shows."""
SHORTEST_PASSWORD = 8
MOST_ATTEMPTS = 5
PAUSE_MS = 30_000
CAMERA = "android.permission.CAMERA"
NOTIFICATIONS = "android.permission.POST_NOTIFICATIONS"


class LoginScreen(Activity):
    name = ".LoginActivity"

    def content(self) -> View:
        self.attempts = 0
        self.user = Field(
            hint="User name", id="username", width=MATCH, most=64, on_type=lambda _: self._clear()
        )
        self.password = Field(
            hint="Password",
            id="password",
            password=True,
            weight=1,
            width=0,
            most=64,
            outlined=False,
            on_type=lambda _: self._clear(),
            on_enter=self._sign_in,
        )
        self.toggle = IconButton(
            "eye", self._show, id="text_input_end_icon", description="Show password"
        )
        self.user_error = _error("username_error")
        self.password_error = _error("password_error")
        self.failure = Text(
            "",
            id="login_error",
            color=theme.ERROR,
            width=MATCH,
            align="center",
            size=14,
            shown=False,
        )
        self.stay = CheckBox("Stay signed in", id="remember")
        self.button = Button("Sign in", self._sign_in, id="login", width=MATCH, height=52, size=16)
        return Scroll(
            Column(
                Avatar(
                    "lock",
                    width=72,
                    height=72,
                    radius=36,
                    gravity="center",
                    margin=(0, 40, 0, 0),
                    id="logo",
                ),
                Text("Welcome back", size=28, align="center", width=MATCH, id="title"),
                Text(
                    "Sign in to your account",
                    size=14,
                    align="center",
                    width=MATCH,
                    color=theme.ON_SURFACE_DIM,
                    id="subtitle",
                ),
                Column(self.user, self.user_error, gap=4, width=MATCH),
                Column(
                    Bordered(self.password, self.toggle), self.password_error, gap=4, width=MATCH
                ),
                self.stay,
                self.failure,
                self.button,
                Text(
                    f"Demo account: {_DEMO}, password {ACCOUNTS[_DEMO]}",
                    size=14,
                    align="center",
                    width=MATCH,
                    color=theme.ON_SURFACE_DIM,
                    id="demo_account",
                ),
                gap=16,
                padding=(24, 16, 24, 32),
                width=MATCH,
            ),
            id="scroll",
            background=theme.SURFACE,
        )

    def resumed(self) -> None:
        assert isinstance(self.app, Login)
        if self.app.account is not None:
            self._enter(self.app.account)

    def _enter(self, user: str) -> None:
        self.open(AccountScreen(self.app, {"user": user}))
        self.finish()

    def _show(self) -> None:
        hidden = self.password.password = not self.password.password
        self.password.changed()
        self.toggle.icon = "eye" if hidden else "eye_off"
        self.toggle.description = "Show password" if hidden else "Hide password"

    def _clear(self) -> None:
        for text in (self.user_error, self.password_error, self.failure):
            text.shown = False

    def _sign_in(self) -> None:
        self._clear()
        user, password = self.user.content.strip(), self.password.content
        if not user:
            _say(self.user_error, "Enter your user name")
        if len(password) < SHORTEST_PASSWORD:
            short = f"A password has at least {SHORTEST_PASSWORD} characters"
            _say(self.password_error, short if password else "Enter your password")
        if self.user_error.shown or self.password_error.shown:
            return
        self.world.input_method.hide()
        if ACCOUNTS.get(user.casefold()) == password:
            self.app.log("I", "Login", f"{user.casefold()} signed in")
            assert isinstance(self.app, Login)
            self.app.account = user.casefold() if self.stay.checked else None
            self._enter(user.casefold())
            return
        self.attempts += 1
        self.password.content = ""
        if self.attempts < MOST_ATTEMPTS:
            _say(self.failure, "Wrong user name or password")
            return
        _say(self.failure, f"Too many attempts. Try again in {PAUSE_MS // 1000} seconds.")
        self.button.enabled = False
        self.world.timers.after(PAUSE_MS, self._again)

    def _again(self) -> None:
        self.attempts = 0
        self.button.enabled = True
        self._clear()


class Bordered(Row):
    """A field with a button, in a frame that shows the focus."""

    __slots__ = ("field",)

    def __init__(self, field: Field, button: View) -> None:
        self.field = field
        super().__init__(
            field, button, width=MATCH, radius=4, content_gravity="center left", id="text_input"
        )

    def draw(self, pen: Pen, dp: float) -> None:
        focused = self.field.focused
        color = theme.PRIMARY if focused else theme.OUTLINE
        pen.outline(self.place, color, (2 if focused else 1) * dp, self.radius * dp)


class AccountScreen(Activity):
    name = ".AccountActivity"

    def content(self) -> View:
        user = self.extras.get("user", "nobody")
        self.status = Text(
            "", id="status", size=14, align="center", width=MATCH, color=theme.ON_SURFACE_DIM
        )
        self.finder = Column(
            Image("camera", width=64, height=64, color=theme.WHITE, gravity="center"),
            Text(
                "Point the camera at a code",
                size=14,
                align="center",
                width=MATCH,
                color=theme.WHITE,
            ),
            gap=12,
            width=MATCH,
            height=220,
            radius=20,
            content_gravity="center",
            background=theme.BLACK,
            id="viewfinder",
            shown=False,
        )
        out = IconButton("power", self._sign_out, id="sign_out", description="Sign out")
        return Column(
            Toolbar("Account", out),
            Scroll(
                Column(
                    Text(
                        f"Hello, {user.capitalize()}",
                        size=28,
                        align="center",
                        width=MATCH,
                        id="greeting",
                    ),
                    Text(
                        "You are signed in",
                        size=14,
                        align="center",
                        width=MATCH,
                        color=theme.ON_SURFACE_DIM,
                        id="signed_in",
                    ),
                    self.finder,
                    Button("Scan a code", self._scan, id="scan", width=MATCH, height=52, size=16),
                    Button(
                        "Send me a notification",
                        self._notify,
                        id="notify",
                        width=MATCH,
                        height=52,
                        size=16,
                        background=theme.PRIMARY_CONTAINER,
                        color=theme.ON_PRIMARY_CONTAINER,
                    ),
                    self.status,
                    gap=16,
                    padding=(24, 24),
                    width=MATCH,
                ),
                id="scroll",
                width=MATCH,
                height=0,
                weight=1,
            ),
            background=theme.SURFACE,
        )

    def _scan(self) -> None:
        def answered(granted: bool) -> None:
            self.finder.shown = granted
            self.status.text = "" if granted else "Without the camera no code can be scanned"

        self.request_permission(CAMERA, answered)

    def _notify(self) -> None:
        def answered(granted: bool) -> None:
            if granted:
                self.world.notify(self.app.package, "Hello", "This is what you asked for")
            self.status.text = "Notification sent" if granted else "Notifications are off"

        self.request_permission(NOTIFICATIONS, answered)

    def _sign_out(self) -> None:
        self.ask(
            "Sign out?",
            "You can sign in again at any time.",
            cancel=lambda: None,
            sign_out=self._go,
        )

    def _go(self) -> None:
        assert isinstance(self.app, Login)
        self.app.account = None
        self.open(LoginScreen(self.app))
        self.finish()


class Login(App):
    package, label = "dev.handheld.login", "Login"
    permissions = (CAMERA, NOTIFICATIONS)
    screens = (LoginScreen, AccountScreen)
    icon, color = "lock", (120, 70, 180)
    account: str | None = None
    """The user who stays signed in."""


def _error(id: str) -> Text:
    return Text("", size=12, id=id, color=theme.ERROR, padding=(16, 0), width=MATCH, shown=False)


def _say(text: Text, words: str) -> None:
    text.text = words
    text.shown = True
