"""Releases: what is published is a promise, and each release says what it changes."""
