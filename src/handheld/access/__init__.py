"""Who may call what: tokens, filters on tools and phones, the owner's policy and approval."""
