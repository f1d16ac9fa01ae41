"""Prompt templates as Markdown files, and their loader.

prompt = Library(folder).get("verify-sentence")
for role, content in prompt.fill({"sentence": sentence, "source": source}):
    ...

Other people's text stands between tags that it cannot write itself, and is never expanded again.
"""

from halubot_prompts.library import Field, Library, Plain, Prompt, PromptError, Role
from halubot_prompts.template_tokens import break_up, restore

__all__ = ["Field", "Library", "Plain", "Prompt", "PromptError", "Role", "break_up", "restore"]
