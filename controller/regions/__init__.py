"""Small tables that run beside the procedure: session, devices, void, alarms, services. Pure."""
