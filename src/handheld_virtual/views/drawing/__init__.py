"""How views are drawn: colours, shapes, pictures."""
