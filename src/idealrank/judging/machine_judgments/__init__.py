"""Machine judgments: what they add to human judgments of some queries or of some documents."""
