"""Exit codes other than 0 and 1 (failure)."""

USAGE_ERROR = 2
INTERRUPTED = 130
