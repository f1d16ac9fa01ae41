"""Language models: requests, answers, limits and the store of answers.

    model        a request, a completion, the protocol of a model; samples of one prompt
    model_errors the errors of models, in one tree
    limits       a model that keeps the provider's pace, a budget and a time limit
    structured   answers of a fixed shape
    stored       a model that takes its answers from the store if they are there
    replayed     a model that answers from a record
    panel        the models of a check by role
    server_model a model by its name: called by `openai_server` or through litellm
    litellm_door the only module that loads litellm; `litellm_guards` changes it

    model = LimitedModel(ServerModel("ollama_chat/llama3"), budget=Budget(max_calls=30))
    completions = await model.complete(Request((Message("user", "Who was Ada Lovelace?"),)))

No import of these loads litellm, which takes 2 to 4 s; the first call that needs it does.
"""
