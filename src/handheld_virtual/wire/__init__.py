"""adbd: connections, authorization, and the services that clients open."""
