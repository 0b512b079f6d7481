"""What the channels of a provider on the network share: Telegram and WhatsApp.

`channel.RemoteChannel` is the channel itself, `channel.Condition` its health.
"""
