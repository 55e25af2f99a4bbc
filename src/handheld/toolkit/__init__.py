"""What a tool is declared with: the tool, its parameters, and a call of it."""
