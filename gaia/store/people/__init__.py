"""Who is who: users, their addresses, and how both are let in and linked."""
