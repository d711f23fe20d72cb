"""Calls of other libraries as calls of ours, with no change in the application's code; needs the extra `instrument`."""
