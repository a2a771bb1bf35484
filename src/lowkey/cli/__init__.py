"""The command `lowkey`: one file a verb; each parses, calls the library and prints."""

from lowkey.cli.app import app, main

__all__ = ["app", "main"]
