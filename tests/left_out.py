"""What `make test` does not run, and the command that does; its last line says so."""

LEFT_OUT = (
    ("format, types, layers and docs", "make check"),
    ("every Android release and way to the phone, and more examples", "make test WHAT=all"),
    ("outside judges (adb, aapt, Node, Chromium, JDK, ffmpeg, shells)", "bash .ci/run"),
    ("Android's own framework", "make test WHAT=framework"),
    ("its app-function command", "make test WHAT=app-functions"),
    ("installing with pip, pipx and uvx", "make test WHAT=install"),
    ("the engine on NATS servers", "make test WHAT=fleet"),
    ("a release", "make test WHAT=release"),
    ("captured screens and documents", "make test WHAT=corpus"),
    ("other people's servers", "make judges WHAT=peers"),
    ("other people's clients", "make judges WHAT=clients"),
    ("a real phone", "make test WHAT=phone"),
    ("Debian's adbd", "pytest -m needs_adbd"),
    ("new examples", "make fuzz"),
)
