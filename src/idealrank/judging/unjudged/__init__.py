"""Unjudged documents: what values a measure could have, and which documents to judge next."""
