"""Tasks on the virtual phone, played by one policy on the main and on the agent surface."""
