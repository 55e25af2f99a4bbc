"""Handheld as others install it. `make test WHAT=install` runs these."""
