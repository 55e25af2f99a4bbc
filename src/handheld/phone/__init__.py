"""A phone, as tools use it."""
