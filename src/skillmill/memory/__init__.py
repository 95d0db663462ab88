"""From conversations to the memory that retrieval skills run on."""
