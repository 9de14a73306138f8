"""What a CI job of a pull or merge request needs beside the commands: the base, and the report as a comment.

The GitHub Action and GitLab's template run these as `python -I -m virtcatalog.ci.…`.
"""
