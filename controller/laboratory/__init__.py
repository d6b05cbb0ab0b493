"""The laboratory of the number: collects what the generator gives, tests it, and says what it saw.

Nothing here runs at a table. Numbers are octets 1 to 7 in `bytes`; chances are floats, which no
record ever holds.
"""
