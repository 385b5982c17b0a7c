"""How the state of an arm moves."""
