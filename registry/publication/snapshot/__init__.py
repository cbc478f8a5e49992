"""The public registry as a folder of static files, which any web server can carry.

    DIRECTORY/current -> one | two    what a web server serves; replaced in one step
    DIRECTORY/one, DIRECTORY/two      two trees that share every unchanged file (hard links)
    DIRECTORY/touched                 in which paths the other tree may differ from the current one

A run writes into the tree that nobody reads, then lets `current` lead there. The other tree is one run behind,
in just the paths that this run touched; they are brought up to date from the current tree before anything
else is written. So a run costs what has changed, however large the registry is; readers see all of it at
once; and a run that is killed anywhere leaves the current tree whole, and a list of what to put right.
"""
