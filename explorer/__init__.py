"""The explorer: a page that shows in a browser why two NDCGs differ, and which one to use."""
