"""A report as people read it: in a terminal, as Markdown, as HTML.

Nothing is judged here: every renderer shows what the report says. What they share stands in
`words` (phrasing and glyphs), `listing` (what is shown, in which order, under which number) and
`marks` (the text cut where a mark begins or ends).
"""
