"""The view toolkit of the virtual phone: views, text, colours, windows, and their rendering."""
