"""Are two facts the same? Does a text support a fact, contradict it, or say nothing of it?"""
