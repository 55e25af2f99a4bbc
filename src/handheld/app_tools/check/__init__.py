"""Checks for app developers whether an app declares its tools correctly.

`declared.py` checks the declarations in an APK, and `on_phone.py` asks an app on a phone. This
module imports nothing: the doctor reports with `finding.py` and needs none of the rest.
"""
