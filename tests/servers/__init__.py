"""Servers that speak the protocols of Telegram, Twilio and hosts of models, as scripted."""
