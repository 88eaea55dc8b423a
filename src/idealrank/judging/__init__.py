"""What judgments leave open: unjudged documents, and judgments by machines."""
