"""Intents and links: made of arguments, held to the rules, and delivered."""
