"""What a model reads of a screen: rows, pictures, notices, and why something did not happen."""
