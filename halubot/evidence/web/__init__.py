"""Evidence from the web: providers, queries, pages, citations."""
