"""From a CSV of who got which message when, and what followed, to fitted people."""
