"""Apps, and the phone's records of them: intents, tasks, processes, permissions."""
