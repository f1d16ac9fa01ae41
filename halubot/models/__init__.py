"""Language models: requests, answers, limits and the store of answers.

    model = LimitedModel(ServerModel("ollama_chat/llama3"), budget=Budget(max_calls=30))
    completions = await model.complete(Request((Message("user", "Who was Ada Lovelace?"),)))

No import of these modules loads litellm, which takes 2 to 4 s; the first call that needs it does.
"""
