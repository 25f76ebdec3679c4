"""Published boards as entries, a module each."""
