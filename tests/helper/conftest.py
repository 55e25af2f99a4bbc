"""The helper's host, on a virtual phone: the same phone, link and clients as the drivers have."""

from driver.conftest import client, clients, clock, driver, link, phone

__all__ = ["client", "clients", "clock", "driver", "link", "phone"]
