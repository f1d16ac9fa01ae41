"""The parts that chat bots share, and the Discord bot."""
