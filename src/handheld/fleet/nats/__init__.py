"""Phones of several hosts behind one address, over NATS (docs/fleet.md). The only package that
imports the NATS library, and of it only `client`, so that a process without an engine loads
nothing of it."""
