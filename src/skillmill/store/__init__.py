"""Every line of SQL: artifacts, record stores, run log."""
