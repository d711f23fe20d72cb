"""Records shipped through the Collector into a real store."""
