"""Checks whether an app declares its tools correctly, for app developers.

`check_file` reads an APK. `check_declared` looks at what an app on a phone declares, and
`try_service` and `try_provider` ask it the questions that it must have an answer to.
"""

from .declared import check_file, check_provider, check_service
from .findings import Findings
from .on_phone import check_package
from .provider_trial import try_provider
from .service_trial import try_service

__all__ = [
    "Findings",
    "check_file",
    "check_package",
    "check_provider",
    "check_service",
    "try_provider",
    "try_service",
]
