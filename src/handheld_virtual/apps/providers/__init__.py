"""The content providers of the system's apps."""
