"""Who has a phone: leases, turns, and what each token may take."""
