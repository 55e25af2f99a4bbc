"""Handheld as others install it. `make test-install` runs these."""
