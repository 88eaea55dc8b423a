"""What the papers prove of the NDCG family, as functions: each result in a file of its own."""
