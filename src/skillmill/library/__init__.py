"""Skill library: rankers and graphs."""
