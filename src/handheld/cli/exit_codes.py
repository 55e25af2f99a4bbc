"""Exit codes besides 0 and 1 (failure)."""

USAGE_ERROR = 2
INTERRUPTED = 130
