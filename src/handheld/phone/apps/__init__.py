"""Apps on a phone: installing them, what they use, and how they end."""
