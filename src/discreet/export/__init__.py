"""Sinks for sealed records."""
