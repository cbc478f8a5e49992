"""The words of a search: stems, subjects that they name, relevance of results, and spelling corrections."""
