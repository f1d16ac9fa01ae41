"""Evidence from the web: providers, queries, pages, citations."""

from halubot.evidence.web.providers import (
    Named,
    Provider,
    WebSettings,
    providers,
    read_web,
)

__all__ = ["Named", "Provider", "WebSettings", "providers", "read_web"]
