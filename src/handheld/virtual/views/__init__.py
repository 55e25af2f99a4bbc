"""What a screen is made of: views, text, colours and windows; how they are read and drawn."""
