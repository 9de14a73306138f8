"""A new catalog's repository: a small catalog that works, and what builds, tests and delivers it.

`files/` holds it with @NAMES@ to be filled in; names that start with `dot-` stand for hidden ones.
"""
