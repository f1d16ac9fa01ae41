"""Calls to models that several methods share: the question, the answer, samples, facts, stances.

One kind of call a module. `halubot.methods.calls.session` is how a run speaks with its models.
"""
