"""What decides and what it speaks: inputs, state, events, levels. Pure: no clock, no I/O."""
