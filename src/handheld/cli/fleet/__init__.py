"""The commands of a fleet: its engine, its hosts and its gateways."""
