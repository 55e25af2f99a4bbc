"""What the driver does by Android's own commands where the helper does not run."""
