"""Android packages as files: what an APK declares."""
