"""Text: its rows, widths, letters and what is typed."""
