"""What a table says over MQTT and what it can be asked, for machines: JSON Schemas and AsyncAPI."""
