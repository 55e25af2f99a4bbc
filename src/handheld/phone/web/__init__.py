"""Web pages of apps that let them be debugged."""
