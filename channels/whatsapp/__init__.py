"""WhatsApp, through Twilio: what arrives, what is sent, and how both fare.

`channel.WhatsAppChannel` is the whole of it for everybody else. Importing this
package loads nothing; `channel` loads the library.
"""
