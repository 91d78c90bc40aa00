"""Which memories answer a query: feature table, relevance, scoring, candidate generation, exact top-k, MMR."""
