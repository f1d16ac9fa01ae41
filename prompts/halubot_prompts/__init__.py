"""Prompt templates as Markdown files, and their loader."""
