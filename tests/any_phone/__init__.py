"""The tools on the tester's own phone. `make test-phone` asks for confirmation first."""
