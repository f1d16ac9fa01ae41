"""The HTTP service: checks and corrections for other programs, and a small page for people.

    http_server  listening, the limits of connections, and who may ask
    pages        the addresses and what they answer
    checks       the queue of checks: how many run, how many wait
    wire         the bodies of requests and answers, from which the OpenAPI page is made
    guardrail    what LiteLLM's proxy asks about the answers of models
    mcp_server   the tools for assistants
    tui_server   the terminal app in a browser (extra ``web``)

`halubot serve` starts it; nothing here is imported before that. It needs the extra ``service``
(Starlette, uvicorn).
"""
