"""What tests share: phones that are reached, served and called, and the clocks for them."""
