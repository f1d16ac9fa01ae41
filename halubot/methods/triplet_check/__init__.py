"""`triplet-check`: triples of the message beside triples of the references."""
