"""The unalterable record: written, sealed, read back and verified here."""
