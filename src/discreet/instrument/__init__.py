"""What tells discreet of the requests and calls of other software, with no change in its code.

The middlewares need nothing; the instrumentors need the extra `instrument`.
"""
