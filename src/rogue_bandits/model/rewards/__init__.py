"""Reward families: the distribution of the reward given theta and the state."""
