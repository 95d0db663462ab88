"""Everything that calls a neural model."""
