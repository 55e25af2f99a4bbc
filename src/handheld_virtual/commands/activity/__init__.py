"""Activities, services and broadcasts: `am`, and other commands that open apps."""
