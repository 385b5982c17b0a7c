"""What an arm's rewards say about (theta, x0): evidence, fit, divergence, radius, upper bound."""
