"""Web pages through DevTools, the debugging interface of Chromium and WebView."""
