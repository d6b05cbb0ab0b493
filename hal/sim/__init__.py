"""Simulated hardware: products of their own, with the hazards of the real thing inside."""
