"""What leads from a URN to its resource: parameters for resolvers, relative references, the interface of a resolver."""
