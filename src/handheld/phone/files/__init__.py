"""Files on a phone, and the storage locations that tools may reach."""
