"""Who may call what: tokens, limits on tools and phones, the owner's policy and approval."""
