"""Evaluations of language models and of retrieval: a file per tool."""
