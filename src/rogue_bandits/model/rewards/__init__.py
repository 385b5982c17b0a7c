"""How arms reward, given theta and the state."""
