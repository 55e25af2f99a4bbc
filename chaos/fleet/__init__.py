"""Calls on the phones of several hosts while hosts, gateways, the engine and the links between them
fail, and a check of every touch that a phone noted."""
