"""What the driver does through the helper on the phone."""
