"""Hardware: bytes and edges in, facts out. Knows no controller and no law."""
