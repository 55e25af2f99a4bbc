"""`make fuzz WHAT=guided`: let atheris, which sees what code an input reaches, change the inputs.

It looks for errors only: code that atheris instruments is slower. A failing input is written to
build/fuzz and printed; its number of seconds is bounded, that of its cases is not.

    python -m fuzzing.guided TARGET SECONDS
"""

import importlib
import logging
import sys
from pathlib import Path
from typing import Any

FOUND = Path(__file__).resolve().parents[2] / "build" / "fuzz"


def main(name: str, seconds: int) -> None:
    # Not among the locked packages: it exists only for some versions of Python and some machines.
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["handheld"]):
        targets = importlib.import_module("fuzzing.targets").TARGETS
    trial = importlib.import_module("fuzzing.trial")
    target = next(target for target in targets if target.name == name)
    inputs = FOUND / "inputs" / name
    inputs.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.sources.seeds):
        (inputs / f"seed-{number}").write_bytes(seed)

    def judge(data: bytes) -> None:
        outcome = trial.run_once(target, data)
        if outcome.fault:
            sys.stdout.write(f"@example({data!r})\n{outcome.fault}\n")
            raise RuntimeError(outcome.kind)

    limits = [f"-max_total_time={seconds}", "-max_len=65536", "-timeout=300", "-rss_limit_mb=1024"]
    atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={FOUND}/{name}-", str(inputs)], judge)
    atheris.Fuzz()


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    main(sys.argv[1], int(sys.argv[2]))
