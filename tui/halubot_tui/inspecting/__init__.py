"""The views of the inspector: facts and their evidence, the matrix, sources, graph and details."""
