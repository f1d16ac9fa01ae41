"""The widgets of the app, one a module."""
