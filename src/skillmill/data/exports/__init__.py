"""Exports of chat programs, read as threads of messages."""
