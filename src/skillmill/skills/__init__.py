"""Retrieval skills: markdown, primitives, executor."""
