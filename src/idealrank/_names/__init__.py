"""Names and options in text: one registry and one grammar for gains, discounts, measures, losses and learners."""
