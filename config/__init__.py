"""A table's file and the games' profiles: models, loader and data."""
