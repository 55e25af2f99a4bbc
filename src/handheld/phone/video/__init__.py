"""Photos and videos: by the cameras, and of the screen."""
