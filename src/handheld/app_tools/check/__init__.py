"""Checks whether an app declares its tools correctly, for app developers.

`declared.py` reads an APK and looks at what an app declares, `on_phone.py` asks an app on a phone.
Nothing is imported here: the doctor reports with `finding.py` and needs none of the rest.
"""
