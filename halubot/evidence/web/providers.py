"""The search providers that ``--web`` may name: keys, prices, and who receives what.

`read_web` reads what a person named; front ends show `WebSettings.describe`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final
from urllib.parse import urlsplit

from halubot.errors import SettingError
from halubot.money import dollars

QUERIES: Final = 6
"""The most queries of one message, by default."""

MOST_QUERIES: Final = 30

REGISTRIES: Final = ("doi.org", "Crossref", "OpenAlex", "arXiv", "Open Library", "PubMed")
"""Who is asked whether a cited work exists."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A search provider. ``name`` is what ``--web`` takes; ``title`` is for people. ``keys`` are
    the variables that must be set, empty if no key is needed. ``listed`` is its entry in litellm's
    price table, "" for one that is free. ``topics`` is True for one that is asked for a subject
    alone. ``litellm`` is True if litellm sends the query; else ``address`` is where it goes unless
    the variable ``NAME_API_BASE`` or the person names another one. ``other_names`` are taken too.
    """

    name: str
    title: str
    keys: tuple[str, ...] = ()
    listed: str = ""
    topics: bool = False
    litellm: bool = True
    address: str = ""
    other_names: tuple[str, ...] = ()

    @property
    def missing(self) -> str | None:
        """The first variable that must be set and is not; None if the provider can be asked."""
        return next((key for key in self.keys if not os.environ.get(key)), None)

    @property
    def cost_usd(self) -> float | None:
        """US dollars of one query; 0 if it is free, None if the price is not known."""
        if not self.litellm:
            return 0.0
        from halubot.models.published import search_price

        return search_price(self.listed) if self.listed else None


PROVIDERS: Final = (
    Provider("wikipedia", "Wikipedia", litellm=False),
    Provider(
        "duckduckgo",
        "DuckDuckGo",
        topics=True,
        litellm=False,
        address="https://api.duckduckgo.com",
        other_names=("ddg",),
    ),
    Provider(
        "searxng",
        "SearXNG",
        litellm=False,
    ),
    Provider(
        "you_com",
        "You.com",
        listed="you_com/search",
        other_names=("you",),
    ),
    Provider("brave", "Brave Search", ("BRAVE_API_KEY",)),
    Provider("tavily", "Tavily", ("TAVILY_API_KEY",), "tavily/search"),
    Provider("exa_ai", "Exa", ("EXA_API_KEY",), "exa_ai/search", other_names=("exa",)),
    Provider("serper", "Serper", ("SERPER_API_KEY",), "serper/search"),
    Provider(
        "google_pse",
        "Google Programmable Search",
        ("GOOGLE_PSE_API_KEY", "GOOGLE_PSE_ENGINE_ID"),
        "google_pse/search",
        other_names=("google",),
    ),
    Provider("linkup", "Linkup", ("LINKUP_API_KEY",), "linkup/search"),
    Provider("perplexity", "Perplexity", ("PERPLEXITYAI_API_KEY",), "perplexity/search"),
    Provider("searchapi", "SearchApi", ("SEARCHAPI_API_KEY",)),
    Provider("parallel_ai", "Parallel", ("PARALLEL_AI_API_KEY",), "parallel_ai/search"),
)
"""All search providers, in the order in which a front end offers them: those that need no key come
first."""


@dataclass(frozen=True, slots=True)
class Named:
    """A provider as a person named it: with a language (Wikipedia) or an address (SearXNG)."""

    provider: Provider
    detail: str = ""

    @property
    def receiver(self) -> str:
        """Who receives the queries, for people."""
        match self.provider.name:
            case "searxng":
                return f"SearXNG at {_host(self.detail)}"
            case "wikipedia":
                return f"Wikipedia ({self.detail}.wikipedia.org)"
        return self.provider.title


@dataclass(frozen=True, slots=True)
class WebSettings:
    """What ``--web`` and its companions say, read. ``allow`` and ``deny`` are sites: a page is
    used only if it is of an allowed site (any if there are none) and of no denied one."""

    named: tuple[Named, ...]
    queries: int = QUERIES
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    max_cost: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The providers as they are named to ``--web``."""
        return tuple(
            f"{one.provider.name}:{one.detail}" if one.detail else one.provider.name
            for one in self.named
        )

    @property
    def cost_usd(self) -> float | None:
        """The most that a message may cost in US dollars; None if a price is not known."""
        costs = [one.provider.cost_usd for one in self.named]
        return None if None in costs else self.queries * sum(filter(None, costs))

    def describe(self) -> tuple[str, ...]:
        """Return what is told before the first query, a line each: who receives what, and what it
        costs."""
        lines = []
        for one in self.named:
            provider = one.provider
            what = "names and subjects" if provider.topics else "words"
            cost = provider.cost_usd
            price = "the price is not known"
            if cost is not None:
                free = "free" if provider.keys else "free, no key needed"
                price = f"at most {dollars(cost * self.queries)}" if cost else free
            lines.append(
                f"{one.receiver} receives up to {self.queries} queries, made of {what} of the text"
                f" ({price}); the text itself is not sent"
            )
        lines.append("the sites of the pages found are asked for these pages")
        asked = f"{', '.join(REGISTRIES[:-1])} and {REGISTRIES[-1]}"
        lines.append(f"if the text cites works or links, {asked} are asked for them, and the links")
        return tuple(lines)


def read_web(
    named: str | Iterable[str],
    *,
    queries: int | None = None,
    allow: Iterable[str] = (),
    deny: Iterable[str] = (),
    max_cost: float | None = None,
) -> WebSettings | None:
    """Read what a person named; None if nothing. Names may stand in one text, with commas between.

    Raises SettingError for an unknown provider, one whose key is not set, one without its address,
    for a number of queries outside 1 to 30, and for ``max_cost`` beside an unknown price.
    """
    texts = [named] if isinstance(named, str) else list(named)
    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    if not names:
        return None
    count = QUERIES if queries is None else queries
    if not 1 <= count <= MOST_QUERIES:
        raise SettingError(f"--web-queries is {count}, not between 1 and {MOST_QUERIES}")
    found = tuple(dict.fromkeys(_read(name) for name in names))
    for one in found:
        if max_cost is not None and one.provider.cost_usd is None:
            raise SettingError(
                f"the price of {one.provider.title} is not known, so --max-cost cannot hold:"
                " leave one of them out"
            )
    return WebSettings(found, count, _sites(allow), _sites(deny), max_cost)


def _read(name: str) -> Named:
    kind, _, detail = name.partition(":")
    kind = kind.strip().lower().replace("-", "_").removesuffix(".com")
    known = {word: one for one in PROVIDERS for word in (one.name, *one.other_names)}
    if kind not in known:
        near = get_close_matches(kind, known, n=1, cutoff=0.6)
        hint = f": did you mean {near[0]!r}?" if near else ""
        names = ", ".join(one.name for one in PROVIDERS)
        raise SettingError(f"there is no search provider {kind!r}{hint} (known are {names})")
    provider = known[kind]
    if (missing := provider.missing) is not None:
        raise SettingError(f"{provider.title} needs a key: set the variable {missing}")
    if provider.name == "searxng":
        detail = detail or os.environ.get("SEARXNG_API_BASE", "")
        if urlsplit(detail).scheme not in ("http", "https") or not _host(detail):
            raise SettingError(
                "SearXNG is a server of your own: name its address, as in"
                " --web searxng:https://search.example.org"
            )
        return Named(provider, detail.rstrip("/"))
    if provider.name == "wikipedia":
        return Named(provider, detail or "en")
    if detail:
        raise SettingError(f"{provider.name} takes nothing after its name, not {detail!r}")
    return Named(provider)


def _sites(given: Iterable[str]) -> tuple[str, ...]:
    texts = [given] if isinstance(given, str) else given
    split = (site.strip().lower() for text in texts for site in text.split(","))
    return tuple(dict.fromkeys(site.strip("*.") for site in split if site.strip("*.")))


def _host(address: str) -> str:
    try:
        return urlsplit(address).netloc.rpartition("@")[2]
    except ValueError:
        return ""


def covers(sites: Iterable[str], host: str) -> bool:
    """Return True if a host is of one of the sites, which have subdomains."""
    return any(host == site or host.endswith(f".{site}") for site in sites)


def is_allowed(host: str, allow: Sequence[str], deny: Sequence[str]) -> bool:
    return not covers(deny, host) and (not allow or covers(allow, host))
