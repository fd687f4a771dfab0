"""Reward functions that verl loads by name."""
