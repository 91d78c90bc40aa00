"""Settings, the home folder and the project: the only readers of the environment and of config.toml."""
