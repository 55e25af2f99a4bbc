"""Videos as a phone's encoder makes them: H.264 in an MP4 file."""
