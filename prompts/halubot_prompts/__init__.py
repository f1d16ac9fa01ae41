"""Prompt templates as Markdown files, and their loader.

prompt = Library(folder).get("verify-sentence")
for role, content in prompt.fill({"sentence": sentence, "source": source}):
    ...

Other people's text stands between tags that it cannot write itself, and is never expanded again.
"""

from halubot_prompts.errors import PromptError
from halubot_prompts.fence import Field, Plain
from halubot_prompts.library import Library
from halubot_prompts.prompt import Prompt, Role

__all__ = ["Field", "Library", "Plain", "Prompt", "PromptError", "Role"]
