"""Drawing of views: colours, shapes, pictures."""
