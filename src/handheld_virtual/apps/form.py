"""A form with text fields, a password, notes, a check box and a save button."""

from ..packages.app import Activity, App
from ..views.drawing import theme
from ..views.layout import Column, Scroll
from ..views.view import MATCH, Told, View
from ..views.widgets.basic import Button, CheckBox, Text
from ..views.widgets.field import Field

PHONE = "0123456789+-() "


class ContactForm(Activity):
    def content(self) -> View:
        self.fields = {
            "name": Field(hint="Full name", id="name", width=MATCH),
            "email": Field(hint="name@example.com", id="email", width=MATCH),
            "phone": Field(
                hint="Phone number", id="phone", width=MATCH, accept=PHONE.__contains__, most=20
            ),
            "password": Field(hint="Password", id="password", width=MATCH, password=True),
            "notes": Field(
                hint="Anything else?", id="notes", width=MATCH, height=120, single_line=False
            ),
        }
        self.agree = CheckBox("Send me news by email", id="news")
        self.saved = Text(
            "", id="status", color=theme.PRIMARY, face="Medium", width=MATCH, shown=False
        )
        rows: list[View] = []
        for name, field in self.fields.items():
            label = Text(name.capitalize(), size=14, id=f"{name}_label", color=theme.ON_SURFACE_DIM)
            field.told = Told(labeled_by=label)
            rows.append(Column(label, field, gap=6, width=MATCH))
        return Column(
            Text("New contact", size=24, id="title", padding=(24, 20, 24, 12)),
            Scroll(
                Column(
                    *rows,
                    self.agree,
                    Button("Submit", self.submit, id="submit", width=MATCH, height=48),
                    self.saved,
                    gap=16,
                    padding=(24, 8, 24, 24),
                    width=MATCH,
                ),
                id="scroll",
                width=MATCH,
                height=0,
                weight=1,
            ),
            background=theme.SURFACE,
        )

    def submit(self) -> None:
        name, email = self.fields["name"].content.strip(), self.fields["email"].content.strip()
        if name:
            words = f"Saved: {name}" + (f" <{email}>" if email else "")
            self.saved.color = theme.PRIMARY
        else:
            words = "Name is required"
            self.saved.color = theme.ERROR
        self.saved.text = words
        self.saved.shown = True


class Form(App):
    package, label = "dev.handheld.form", "Contact form"
    screens = (ContactForm,)
    icon, color = "form", (20, 130, 90)
