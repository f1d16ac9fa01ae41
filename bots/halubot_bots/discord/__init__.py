"""What is Discord's in the bot: its client, commands, menus, buttons and messages."""
