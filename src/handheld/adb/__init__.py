"""adb without the adb program: its protocols and services. Independent of MCP and tools."""
