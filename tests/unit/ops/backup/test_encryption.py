"""Encrypted backups: nothing of them can be read without the passphrase."""

from collections.abc import Awaitable, Callable

import pytest

from gaia.errors import BackupDamagedError, PassphraseError
from gaia.ops.backup.create import Made
from gaia.ops.backup.verify import verify_backup

pytestmark = pytest.mark.sqlite

PASSPHRASE = "correct horse battery staple ü"


@pytest.mark.slow
async def test_an_encrypted_one_opens_with_its_passphrase_alone(
    make: Callable[..., Awaitable[Made]],
) -> None:
    """One test for all of it: to make a key of a passphrase takes a second, on purpose."""
    made = await make(passphrase=PASSPHRASE)
    assert made.is_encrypted
    assert made.path.name.endswith(".tar.gz.age")
    whole = made.path.read_bytes()
    assert whole.startswith(b"age-encryption.org/v1\n-> scrypt ")

    verified = await verify_backup(made.path, PASSPHRASE)
    assert verified.contents.memories == 1
    with pytest.raises(PassphraseError, match="is encrypted: set GAIA_BACKUP_PASSPHRASE"):
        await verify_backup(made.path, None)
    with pytest.raises(PassphraseError, match="with this passphrase"):
        await verify_backup(made.path, "wrong")
    made.path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(BackupDamagedError, match="changed or cut"):
        await verify_backup(made.path, PASSPHRASE)
    made.path.write_bytes(whole[:100])
    with pytest.raises(BackupDamagedError, match="changed or cut"):
        await verify_backup(made.path, PASSPHRASE)
