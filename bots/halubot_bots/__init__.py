"""What chat bots share, and the Discord bot."""
