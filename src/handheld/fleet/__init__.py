"""The phones of several hosts: a host's services on the engine, and a gateway's surface."""
