"""Commands that write and print the log."""
