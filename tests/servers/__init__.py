"""Real servers on 127.0.0.1 for the tests that ask them: built once, kept outside the clone."""
