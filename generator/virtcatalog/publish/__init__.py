"""Releases: what is published is a promise, and a release says what it changes."""
