"""Telegram, on python-telegram-bot: what arrives, what is sent, and how both fare.

`channel.TelegramChannel` is the whole of it for everybody else. Importing this
package loads nothing; `channel` loads the library.
"""
