"""What tests are made of: processes, kills, homes, people, and what they keep there."""
