"""What `make test` does not run, and the command that does; its last line says so."""

LEFT_OUT = (
    ("format, types, layers and docs", "make check"),
    ("every Android release and way to the phone, and more examples", "make test-all"),
    ("outside judges (adb, aapt, Node, Chromium, JDK, ffmpeg, shells)", "bash .ci/run"),
    ("Android's own framework", "make test-framework"),
    ("its app-function command", "make app-function-words"),
    ("installing with pip, pipx and uvx", "make test-install"),
    ("the engine on NATS servers", "make test-fleet"),
    ("a release", "make test-release"),
    ("captured screens and documents", "make test-corpus"),
    ("other people's servers", "make peers"),
    ("other people's clients", "make test-clients"),
    ("a real phone", "make test-phone"),
    ("Debian's adbd", "pytest -m needs_adbd"),
    ("new examples", "make fuzz"),
)
