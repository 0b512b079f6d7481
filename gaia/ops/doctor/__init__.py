"""`gaia doctor`: looks at the parts of an installation, one after the other, and says what
to do about what is wrong.

A module a subject, each with a function that makes its check; `checks` goes through
them. Checks of channels live with their channel. Nothing here changes anything.
"""
