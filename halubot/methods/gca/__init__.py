"""`gca`: graphs of facts, reverse verification and consistency."""
