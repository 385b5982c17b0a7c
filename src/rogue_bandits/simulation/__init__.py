"""People × decisions: play a policy against a truth."""
