"""adb as the phone answers it: connections, keys, and the services that clients open."""
