"""Knowledge: lasting bases of passages that a message is checked against, found by their words."""
