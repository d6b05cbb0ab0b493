"""The paragraphs as functions: one duty, one function, one file a family. Pure."""
