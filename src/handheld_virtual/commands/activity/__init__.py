"""Activities, services and broadcasts: `am`, and what opens apps."""
