"""Published benchmark tables, each with its published numbers and those computed here."""
