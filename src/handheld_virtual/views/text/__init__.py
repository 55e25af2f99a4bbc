"""Text: rows, widths, fonts and editing."""
