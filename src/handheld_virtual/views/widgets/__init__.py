"""The widgets of apps."""
