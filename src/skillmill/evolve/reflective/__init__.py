"""Rivals that reflect on past attempts instead of evolving retrieval."""
