"""What the phone itself draws over and around apps."""
