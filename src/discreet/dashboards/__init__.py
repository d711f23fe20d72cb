"""Dashboards and alert rules, made from contracts. Needs the extra ``dashboards``."""
