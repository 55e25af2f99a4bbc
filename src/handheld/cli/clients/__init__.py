"""The configuration files of MCP clients: where they are, and this server's entry in them."""
