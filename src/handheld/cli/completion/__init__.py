"""`handheld completion`: the scripts by which shells complete command lines."""
