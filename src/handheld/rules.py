"""Rules of the owner on calls: which are allowed, asked about, denied.

A rule is a text of conditions with + between: a tool's name or a pattern of it (`app_*`),
`toolset:files`, `app:com.bank.*` (the app in front), `token:NAME`. It matches where all of them do.
"""
