"""What each session begins with: the rules that its user set, a profile of them, and what
was last talked about."""
