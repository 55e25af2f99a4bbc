"""The screen for models: one line for each row of the screen, with a ref for each element."""
