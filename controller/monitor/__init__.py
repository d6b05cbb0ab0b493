"""The web page of the surveillance room: what is known of all tables, and who serves it."""
