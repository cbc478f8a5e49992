"""Sub-namespaces: who stands behind the branches of a namespace, and which of them exist.

The profile of a namespace declares its levels (`levels`), a list contains its sub-namespaces (`lists`), and a judgement says
what was found (`findings`). `load_profiles` loads the lists in the directory ``subnamespaces`` beside the profiles.
"""
