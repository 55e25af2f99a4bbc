"""The console of a gateway, and the routes of its pages."""
