"""The host's side of our program on the phone: its protocol and client."""
