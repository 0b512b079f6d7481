"""Growth: what usage tells, what it proposes to change, and the steps that were taken."""
