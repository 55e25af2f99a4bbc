"""adb without the adb program: its wire, and what is done with it. Knows neither MCP nor tools."""
