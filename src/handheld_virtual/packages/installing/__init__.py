"""Installing packages: checks, files, removal, and stubs that answer for their code."""
