"""What accessibility services and captured dumps tell of views."""
