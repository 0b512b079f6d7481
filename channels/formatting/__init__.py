"""From the model's Markdown to what messengers show, in pieces that they take.

`markdown` reads the text into a `document`: flat text with nested spans over it,
the same for every channel. `chunks` divides a document into pieces. The last
step is a channel's own: `telegram_html` writes Telegram's HTML.
"""
