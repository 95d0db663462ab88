"""What a person or an agent touches."""
