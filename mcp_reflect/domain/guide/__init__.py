"""What a project's memories say about it, for somebody who begins to work there."""
