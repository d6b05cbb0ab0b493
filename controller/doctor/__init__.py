"""What is wrong with an appliance and how to mend it: `tablectl doctor`, one file a check."""
