"""Acting on the screen: clicks, typing, the keyboard and the clipboard."""
