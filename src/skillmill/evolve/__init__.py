"""Skills and router evolve together."""
