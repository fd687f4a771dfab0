"""Stages and trainer plug-ins that run on a node, inside a trainer's own environment."""
