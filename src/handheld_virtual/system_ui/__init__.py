"""The system UI: bars, lock screen, notification panel, dialogs."""
