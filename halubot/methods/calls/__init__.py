"""Calls to models that several methods share: the question, the answer, samples, facts, stances.

One kind of call a module. `halubot.methods.calls.talk` is how a run speaks with its models.
"""
