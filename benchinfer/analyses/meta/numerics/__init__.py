"""Effect sizes and their pooling."""
