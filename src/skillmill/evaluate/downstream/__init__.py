"""Whether agents succeed with the skills that a method gives them (SkillTrace)."""
