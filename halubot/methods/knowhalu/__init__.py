"""`knowhalu`: details of the message are looked up and judged in two forms."""
