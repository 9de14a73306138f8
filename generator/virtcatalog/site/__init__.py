"""A catalog as a static web site: pages for those who choose machines, from any folder or web server."""
