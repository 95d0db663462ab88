"""The sections of config.yaml: every key, its meaning, its bounds."""
