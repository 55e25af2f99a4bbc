"""The screen for models: rows, pictures, notices, and reasons why an action had no effect."""
