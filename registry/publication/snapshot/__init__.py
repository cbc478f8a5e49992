"""The public registry as a folder of static files for any web server.

    DIRECTORY/current -> one | two    what a web server serves; replaced in one step
    DIRECTORY/one, DIRECTORY/two      two trees that share every unchanged file (hard links)
    DIRECTORY/touched                 in which paths the other tree may differ from the current one

A run writes to the tree that is not current, then points `current` to it. The other tree is one run behind in
exactly the paths that the last run touched; these are synchronized from the current tree before other writes.
The cost of a run therefore depends on the changes, not on the size of the registry. Readers see all changes at
once. A run that is killed leaves the current tree complete, and a list of paths to synchronize.

A run that renders everything begins with an empty tree, and links the files that are the same in the current one.
"""
