"""The tools on a phone of whoever runs this. `make test-phone` asks before it begins."""
