"""What an app is, and what the phone keeps of it: intents, tasks, processes, permissions."""
