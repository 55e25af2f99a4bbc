"""The widgets that apps are made of."""
