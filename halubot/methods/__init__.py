"""The methods, and the registry that users may add their own to.

A method is any object with the attributes of `Method`; `register` makes it known under its
name, and packages may announce theirs by the entry point group ``halubot.methods``.
"""

from __future__ import annotations

from halubot.methods.registry import Case, Method, Size, get, method_names, register

__all__ = ["Case", "Method", "Size", "get", "method_names", "register"]
