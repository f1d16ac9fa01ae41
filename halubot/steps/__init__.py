"""What models are asked for, one kind of call a module: the question, the answer, samples,
facts, stances, a rewriting. `halubot.steps.talk` is how a run speaks with its models."""
