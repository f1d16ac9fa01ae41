"""`consensus`: the message is compared with samples and references, without a model."""
