"""The reference helper: an implementation of the helper protocol in Python, for the virtual phone.

It mirrors the Java helper (`helper/src/main/java`): `program.py` is `Helper.java`, `session.py`
`Session`, `calls.py` `Calls` and `Lane`'s queues, `job.py` `Job` and `Call`, `hold.py` `Hold`,
`holder_lock.py` `HolderLock`, `command.py` `Command`, `Answer` and `Arguments`, `commands.py`
`Commands`. The commands are grouped by subject.
"""
