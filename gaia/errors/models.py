"""Models, and what they were asked for."""

from __future__ import annotations

from gaia.errors.base import GaiaError
from gaia.errors.running import SettingsError


class InVainError(GaiaError):
    """A model was asked, and gave nothing that can be used. `tokens_in` and `tokens_out`
    are what its provider counted all the same, as far as it told."""

    tokens_in: int = 0
    tokens_out: int = 0


class UnusableExtractionError(InVainError):
    """What a model found in a conversation is not what was asked for: no JSON, another
    shape, nothing at all. The message holds no word of the conversation."""


class ModelError(InVainError):
    """The model gave no answer.

    `bare` is the message without the provider's own words, which may quote what it was
    sent: for what is kept, or logged when nobody waits for it to be forgotten. `remedy`
    names the setting or the key that is at fault, for an owner.
    """

    def __init__(self, message: str, *, bare: str | None = None, remedy: str = "") -> None:
        super().__init__(message)
        self.bare = message if bare is None else bare
        self.remedy = remedy


class ModelUnavailableError(ModelError):
    """The model did not answer, for a cause that may pass: 429, 5xx, network."""


class ModelUnreachableError(ModelUnavailableError):
    """Nothing answers at the model's address, and nothing will soon."""


class ModelTimeoutError(ModelError):
    """The model took longer than `model.timeout_seconds`, retries included."""


class ModelRefusedError(ModelError):
    """The model will not answer this request, for a cause that its host does not name."""


class ModelBlockedError(ModelRefusedError):
    """The model will not answer these words: a filter or a rule is against them."""


class ModelTooLongError(ModelRefusedError):
    """One message, with what belongs to it, is longer than the model reads at once."""


class ModelRejectedError(ModelRefusedError):
    """The host takes no request: the key, the model's name or its address is at
    fault. Only the owner can mend that."""


class ModelUnpaidError(ModelRejectedError):
    """The host takes no request until it is paid, or a quota begins anew."""


class ModelFruitlessError(ModelError):
    """The model answered with nothing, or with tool calls without end."""


class ModelMissingError(ModelError):
    """No model is installed or configured. Only the owner can mend that."""

    exit_code = SettingsError.exit_code


class ModelFileError(GaiaError):
    """The file of an embedded model cannot be fetched or removed."""
