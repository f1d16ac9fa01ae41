"""Formats of amounts of money."""

from __future__ import annotations


def dollars(amount: float) -> str:
    """An amount in dollars, four places of it, and more if it is small: "$0.0428", "$0.00001".
    Never a power of ten; "under $0.0000001" for what is less."""
    if amount >= 0.0005 or not amount:
        return f"${amount:.4f}"
    digits = f"{amount:.7f}".rstrip("0")
    return f"${digits}" if float(digits) else "under $0.0000001"
