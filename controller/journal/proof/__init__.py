"""What an auditor's machine runs: pure checks of records, with Python's own library alone."""
