"""The phone's shell: its language, what runs it, and the programs' streams."""
