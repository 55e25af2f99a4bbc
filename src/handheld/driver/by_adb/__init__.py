"""What the driver does over adb itself, with or without the helper."""
