"""The screen as agents were shown it: elements, their ids, scrolling and waiting."""
