"""Where SQLite's log is not safe, told from the lines of real tables of mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gaia.ops.mounts import FUSE, LENT, NETWORK, Mount, mount_below, mount_of, problem, remedy
from gaia.paths import Home

LINUX = r"""
22 28 0:21 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw
23 28 0:22 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw
28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
31 28 0:26 / /run rw,nosuid,nodev,noexec,relatime shared:5 - tmpfs tmpfs rw,size=3258404k
95 28 259:1 / /boot/efi rw,relatime shared:46 - vfat /dev/nvme0n1p1 rw,fmask=0077
98 28 0:45 /@home /home rw,noatime shared:48 - btrfs /dev/sda1 rw,ssd,subvolid=256,subvol=/@home
310 98 0:58 / /home/ada/nas rw,relatime shared:260 - nfs4 nas:/volume1 rw,vers=4.2,hard
311 98 0:59 / /home/ada/nas-old rw,relatime shared:261 - nfs nas:/volume1 rw,vers=3
312 28 0:60 / /mnt/My\040Files rw,relatime shared:262 - cifs //winbox/My\040Files rw,vers=3.1.1
313 28 0:61 / /mnt/tab\011back\134slash rw,relatime shared:263 - smb3 //winbox/c rw
314 98 0:62 / /home/ada/remote rw,nosuid,nodev,relatime shared:264 - fuse.sshfs ada@box: rw
315 98 0:63 / /home/ada/vault rw,nosuid,nodev,relatime shared:265 - fuse.gocryptfs /home/ada/v rw
316 28 8:17 / /mnt/usb rw,relatime shared:266 - fuseblk /dev/sdb1 rw,user_id=0,allow_other
317 28 0:64 / /mnt/pool rw,relatime shared:267 - fuse.mergerfs disk1:disk2 rw,allow_other
318 28 0:65 / /mnt/auto rw,relatime shared:268 - autofs systemd-1 rw,fd=60,pgrp=1,direct
319 318 0:66 / /mnt/auto rw,relatime shared:269 - nfs4 nas:/auto rw,vers=4.1
320 28 0:67 / /mnt/über rw,relatime - cifs //winbox/über rw
"""

DOCKER = r"""
1290 1041 0:105 / / rw,relatime master:412 - overlay overlay rw,lowerdir=/var/lib/docker
1291 1290 0:108 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
1299 1290 254:1 /docker/volumes/gaia/_data /data rw,relatime master:30 - ext4 /dev/vda1 rw,discard
1300 1290 0:44 /Users/ada/.gaia /lent rw,nosuid,nodev,relatime - fakeowner /run/host_mark/Users rw
1301 1290 0:52 /Users/ada /grpc rw,nosuid,nodev,relatime - fuse.grpcfuse grpcfuse rw,user_id=0
1302 1290 0:53 /Users/ada /osxfs rw,nosuid,nodev,relatime - fuse.osxfs osxfs rw,user_id=0
1303 1290 0:54 / /virtio rw,relatime - virtiofs virtiofs0 rw
1304 1290 0:55 /gaia.db /data/gaia.db rw,relatime - virtiofs virtiofs0 rw
"""

MACHINES = r"""
60 1 8:32 / / rw,relatime - ext4 /dev/sdc rw,discard,errors=remount-ro,data=ordered
87 60 0:48 / /mnt/c rw,noatime - 9p drvfs rw,dirsync,aname=drvfs;path=C:\;uid=1000,access=client
88 60 0:49 / /media/sf_gaia rw,nodev,relatime shared:70 - vboxsf gaia rw,iocharset=utf8,uid=0
89 60 0:50 / /mnt/hgfs rw,nosuid,nodev,relatime - fuse.vmhgfs-fuse vmhgfs-fuse rw,allow_other
90 60 0:51 / /media/psf rw,nosuid,nodev,noatime shared:71 - prl_fs Home rw,sync
91 60 0:52 / /rootless rw,nodev,noatime - fuse.fuse-overlayfs fuse-overlayfs rw,user_id=0
92 60 0:53 / /whole - zfs tank/whole rw,xattr
"""


@pytest.mark.parametrize(
    ("table", "path", "point", "kind", "unsafe"),
    [
        (LINUX, "/var/lib/gaia", "/", "ext4", ""),
        (LINUX, "/home/ada/.gaia", "/home", "btrfs", ""),
        (LINUX, "/home/ada/nas/gaia", "/home/ada/nas", "nfs4", NETWORK),
        (LINUX, "/home/ada/nas", "/home/ada/nas", "nfs4", NETWORK),
        (LINUX, "/home/ada/nas-old/gaia", "/home/ada/nas-old", "nfs", NETWORK),
        (LINUX, "/home/ada/nas2/gaia", "/home", "btrfs", ""),
        (LINUX, "/mnt/My Files/gaia", "/mnt/My Files", "cifs", NETWORK),
        (LINUX, "/mnt/tab\tback\\slash/gaia", "/mnt/tab\tback\\slash", "smb3", NETWORK),
        (LINUX, "/home/ada/remote/gaia", "/home/ada/remote", "fuse.sshfs", NETWORK),
        (LINUX, "/home/ada/vault/gaia", "/home/ada/vault", "fuse.gocryptfs", ""),
        (LINUX, "/mnt/usb/gaia", "/mnt/usb", "fuseblk", ""),
        (LINUX, "/mnt/pool/gaia", "/mnt/pool", "fuse.mergerfs", FUSE),
        (LINUX, "/mnt/auto/gaia", "/mnt/auto", "nfs4", NETWORK),
        (LINUX, "/mnt/über/gaia", "/mnt/über", "cifs", NETWORK),
        (DOCKER, "/root/.gaia/gaia.db", "/", "overlay", ""),
        (DOCKER, "/data/gaia.yaml", "/data", "ext4", ""),
        (DOCKER, "/data/gaia.db", "/data/gaia.db", "virtiofs", LENT),
        (DOCKER, "/lent/gaia.db", "/lent", "fakeowner", LENT),
        (DOCKER, "/grpc/gaia.db", "/grpc", "fuse.grpcfuse", LENT),
        (DOCKER, "/osxfs/gaia.db", "/osxfs", "fuse.osxfs", LENT),
        (DOCKER, "/virtio/gaia.db", "/virtio", "virtiofs", LENT),
        (MACHINES, "/home/ada/.gaia", "/", "ext4", ""),
        (MACHINES, "/mnt/c/Users/ada/gaia", "/mnt/c", "9p", LENT),
        (MACHINES, "/media/sf_gaia/gaia.db", "/media/sf_gaia", "vboxsf", LENT),
        (MACHINES, "/mnt/hgfs/gaia", "/mnt/hgfs", "fuse.vmhgfs-fuse", LENT),
        (MACHINES, "/media/psf/Home/gaia", "/media/psf", "prl_fs", LENT),
        (MACHINES, "/rootless/gaia", "/rootless", "fuse.fuse-overlayfs", ""),
    ],
)
def test_a_path_lies_on_the_nearest_mount_above_it(
    table: str, path: str, point: str, kind: str, unsafe: str
) -> None:
    mount = mount_of(Path(path), table)
    assert mount == Mount(Path(point), kind)
    assert mount.unsafe == unsafe


def test_lines_that_are_no_mounts_are_passed_over() -> None:
    assert mount_of(Path("/home"), "") is None
    assert mount_of(Path("/home"), "no table at all\n - \n1 2 3 4 / - \n") is None


def table_of(folder: Path, kind: str) -> Path:
    """A table in which this folder is a mount of that kind."""
    escaped = str(folder).replace(" ", r"\040")
    table = folder.parent / "mountinfo"
    table.write_text(
        "28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/sda rw\n"
        f"310 98 0:58 / {escaped} rw,relatime shared:260 - {kind} source rw\n"
    )
    return table


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    (tmp_path / "a disk").mkdir()
    return (tmp_path / "a disk").resolve()


def test_the_problem_names_the_mount_and_the_remedy_the_home(disk: Path) -> None:
    home = Home(disk / "gaia")
    mount = mount_below(home, table_of(disk, "nfs4"))
    assert problem(home, mount) == (
        f"{home.root} lies on a disk of another machine (nfs4 at {disk}), where SQLite's "
        "write-ahead log is not safe: gaia.db may be damaged"
    )
    assert f"move {home.root} to a disk of this machine and set GAIA_HOME" in remedy(home)
    assert problem(home, mount_below(home, table_of(disk, "xfs"))) == ""


def test_a_home_is_where_its_links_lead(disk: Path, tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to(disk)
    home = Home(tmp_path / "home")
    assert mount_below(home, table_of(disk, "cifs")) == Mount(disk, "cifs")


def test_nothing_is_told_where_there_is_no_table(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert mount_below(home, tmp_path / "none") is None
    assert problem(home, None) == ""
