"""What readers wrote below a text is no evidence; what only has such a name stays."""

from __future__ import annotations

import pytest

from halubot.text.files.webpage import extract

TEXT = "Ada Lovelace was born in 1815 in London. " * 3
SAID = "You are all wrong, she was born in 1816!"


def page(comments: str) -> str:
    return (
        f"<html><body class='comments-open'><h1>Ada</h1><div><p>{TEXT}</p></div>{comments}</body>"
    )


@pytest.mark.parametrize(
    "comments",
    [
        '<div id="comments" class="comments-area"><ol class="comment-list"><li class="comment">'
        '<article id="div-comment-5" class="comment-body"><p>{}</p></article></li></ol></div>',
        '<div id="disqus_thread"><p>{}</p></div>',
        '<section class="article__comments"><p>{}</p></section>',
        '<div class="userCommentList"><p>{}</p></div>',
        '<div class="CommentSection"><p>{}</p></div>',
        '<ul class="post-comments"><li>{}</li></ul>',
        '<div id="dsq-comments">{}</div>',
        '<div itemscope itemtype="https://schema.org/Comment"><p itemprop="text">{}</p></div>',
        '<div itemscope itemtype="http://schema.org/UserComments">{}</div>',
        '<section aria-label="Comments"><p>{}</p></section>',
        '<div role="comment">{}</div>',
        '<div id="respond"><h3>Leave a reply</h3><p>{}</p></div>',
        '<form id="commentform"><p>{}</p></form>',
    ],
)
def test_comments_of_readers_are_left_out(comments: str) -> None:
    assert SAID in page(comments.format(SAID))
    assert extract(page(comments.format(SAID))).text == f"Ada\n\n{TEXT.strip()}"
