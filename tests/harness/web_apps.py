"""Apps with web pages: one that lets them be debugged, one that does not, and a browser."""

from typing import ClassVar

from handheld_virtual.toolkit import Activity, App, Button, Column, Field, View, WebView, web

SHOP, READER, BROWSER = "org.example.shop", "org.example.reader", "org.example.surf"
URL = "https://shop.example/cart?token=s3cret#top"


class ShopScreen(Activity):
    name = ".Shop"

    def content(self) -> View:
        self.bought = 0
        self.name_field = Field(hint="Name", id="name")
        self.web = WebView("Cart", *self.cart(), url=URL, id="web")
        return Column(self.web)

    def cart(self) -> list[View]:
        return [
            web.Heading("Your cart", id="top"),
            web.Flow(
                web.Words("Two "),
                web.Words("red"),
                web.Words(" apples, "),
                web.Link("change", self.leave, url="https://shop.example/edit", padding=0),
                web.Words("or"),
                web.Link("empty", self.leave, padding=0),
                web.Words("the cart"),
                web.Words("."),
                gap=4,
            ),
            self.name_field,
            Button("Buy", self.buy, id="buy"),
            web.Paragraph("The total is 3 €.", id="total"),
        ]

    def buy(self) -> None:
        self.bought += 1

    def leave(self) -> None:
        self.web.show("Elsewhere", web.Heading("Elsewhere"), url="https://other.example/")


class ShopApp(App):
    package, label = SHOP, "Shop"
    screens = (ShopScreen,)
    web_debugging = True


class ReaderApp(App):
    package, label = READER, "Reader"
    screens = (ShopScreen,)


class SurfApp(App):
    """A browser: its socket has no pid in its name."""

    package, label = BROWSER, "Surf"
    screens = (ShopScreen,)
    web_debugging = True
    devtools: ClassVar[str] = "chrome_devtools_remote"
