"""Resolution of URNs: parameters for resolvers, relative references, the interface of a resolver."""
