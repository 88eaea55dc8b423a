"""Are the learners worth choosing? Defaults against the strongest simple rivals, one module per family of models."""
