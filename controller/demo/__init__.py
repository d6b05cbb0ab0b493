"""The whole system on one machine: devices and people simulated, everything else the real thing."""
