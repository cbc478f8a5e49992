"""The search of the whole registry: a URN, a NID, or words in namespaces, subjects, sub-namespaces and open cases."""
