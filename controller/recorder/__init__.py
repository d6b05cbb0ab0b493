"""The surveillance room's own copy of every table's record: followed, checked, kept, confirmed."""
