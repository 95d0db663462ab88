"""Arms under one signature and their scores."""
