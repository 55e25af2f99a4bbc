"""The tools on the tester's own phone. `make test WHAT=phone` asks for confirmation first."""
