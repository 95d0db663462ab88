"""Files as published, read into typed records and a load report."""
