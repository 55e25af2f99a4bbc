"""The phone's shell: its language, its execution, and the streams of programs."""
