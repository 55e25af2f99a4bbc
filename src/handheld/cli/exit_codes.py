"""What the command line ends with, besides 0 and, when it failed, 1."""

USAGE_ERROR = 2
INTERRUPTED = 130
