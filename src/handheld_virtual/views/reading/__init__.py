"""Views as accessibility services and captured dumps describe them."""
