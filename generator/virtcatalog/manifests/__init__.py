"""Text in, text out: documents with positions, dumps, git revisions, edits that keep what stays."""
