"""A guide to a project: what its memories say, for somebody who begins to work there."""
