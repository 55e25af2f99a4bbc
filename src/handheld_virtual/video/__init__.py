"""Moving pictures, as a phone's own encoder makes them: H.264 in an MP4 file."""
