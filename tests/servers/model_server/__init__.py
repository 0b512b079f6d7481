"""A scripted model server: the protocols of Gemini, OpenAI and Anthropic over HTTP.

It stands in for the real providers where their real clients are to be used:
in a test's own process with `running_model_server`, or as a process of its own
with `python -m tests.servers.model_server`, steered over `/control`.
"""

from tests.servers.model_server.conversation import Answer, Asked
from tests.servers.model_server.process import (
    ModelServer,
    RemoteModelServer,
    running_model_server,
    spawned_model_server,
)
from tests.servers.model_server.recording import RecordedRequest
from tests.servers.model_server.script import Script, ScriptedCall, Step

__all__ = [
    "Answer",
    "Asked",
    "ModelServer",
    "RecordedRequest",
    "RemoteModelServer",
    "Script",
    "ScriptedCall",
    "Step",
    "running_model_server",
    "spawned_model_server",
]
