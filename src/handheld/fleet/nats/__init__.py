"""Phones of several hosts behind one address, over NATS (docs/fleet.md). Only this package imports
the NATS library, and only in `client`, so a process without an engine loads nothing of it."""
