"""A report as people read it: in a terminal, as Markdown, as HTML.

Nothing is judged here: every renderer shows what the report says. They share `captions` (words and
signs), `items` (what is shown, in which order, under which number) and `marks` (the text cut at the
beginning and the end of each mark).
"""
