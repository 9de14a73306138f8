"""`python -m virtcatalog`."""

from virtcatalog.cli import main

main(prog_name="virtcatalog")
