"""A small Android in Python that speaks adbd's side of the wire.

Shares only codecs (`adb.wire`, `adb.keys`, `helper.protocol`) and `ui.model` with the product, so
that it stays an honest opponent.
"""
