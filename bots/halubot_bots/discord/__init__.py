"""The parts of the bot that are Discord's: its client, commands, menus, buttons and messages."""
