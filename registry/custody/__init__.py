"""Who holds a namespace: claims of namespaces, and their announcements and objections."""
