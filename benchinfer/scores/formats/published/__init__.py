"""Published tables: Markdown, LaTeX and HTML as grids of cells, and the numbers in these."""
