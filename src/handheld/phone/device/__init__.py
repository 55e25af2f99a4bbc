"""What the phone is, and its settings, which are put back."""
