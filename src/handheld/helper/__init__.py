"""Our program on the phone, seen from the host: the protocol and the client that speaks it."""
