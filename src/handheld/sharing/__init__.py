"""One phone shared by several processes: the owner, and those who go through it."""
