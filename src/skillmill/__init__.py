"""skillmill: builds, measures and serves retrieval for agents."""
