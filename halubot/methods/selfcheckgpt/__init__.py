"""`selfcheck-prompt` and `selfcheck-ngram`: sentences beside samples (SelfCheckGPT)."""
