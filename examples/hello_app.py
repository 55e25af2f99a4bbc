"""A shopping list for the virtual phone: `handheld virtual --app examples/hello_app.py`."""

from handheld_virtual.toolkit import (
    MATCH,
    Activity,
    App,
    Button,
    CheckBox,
    Column,
    Field,
    List,
    Row,
    Toolbar,
    View,
)


class ShoppingList(Activity):
    def content(self) -> View:
        self.wanted = ["Bread", "Coffee"]
        self.field = Field(hint="What is missing?", id="item", weight=1, on_enter=self.add)
        self.list = List(self.wanted, self.row, id="list", height=0, weight=1, padding=8)
        return Column(
            Toolbar("Shopping list"),
            Row(self.field, Button("Add", self.add, id="add"), gap=8, padding=(16, 0), width=MATCH),
            self.list,
        )

    def row(self, item: str) -> View:
        return CheckBox(item, id="wanted", on_click=lambda: self.bought(item))

    def add(self) -> None:
        if item := self.field.content.strip():
            self.wanted.append(item)
            self.list.items = self.wanted
            self.field.content = ""

    def bought(self, item: str) -> None:
        self.wanted.remove(item)
        self.list.items = self.wanted
        if not self.wanted:
            self.ask("All done", "Nothing is missing any more.", ok=self.finish)


class Shopping(App):
    package, label, color = "org.example.shopping", "Shopping", (190, 60, 60)
    screens = (ShoppingList,)
