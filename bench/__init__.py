"""Measurements: `python -m bench`. Ratios within one run gate; absolute figures are reported."""
