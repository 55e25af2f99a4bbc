"""MCP for the surface: over HTTP behind our own edge, and over stdio behind our own relay."""
