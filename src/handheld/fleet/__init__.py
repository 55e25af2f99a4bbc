"""The phones of several hosts: what a host offers to the engine, and a gateway's surface."""
