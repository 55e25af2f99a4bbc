"""What is about the owner: contacts, calls, messages, media, events and SMS."""
