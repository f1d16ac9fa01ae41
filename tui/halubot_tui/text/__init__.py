"""A text on the screen: Markdown to blocks, blocks to lines, marks in them."""
