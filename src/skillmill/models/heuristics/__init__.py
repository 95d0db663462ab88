"""Named, deterministic stand-ins for a language model; whatever they touch says so."""
