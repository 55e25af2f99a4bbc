"""Input: touch, keys and the soft keyboard."""
