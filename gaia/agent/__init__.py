"""The agent: models, prompt, tools, and the run of one turn."""
