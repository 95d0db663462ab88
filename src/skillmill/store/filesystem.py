"""What kind of file system a folder lies on."""

import re
from pathlib import Path

_MOUNTS = Path("/proc/mounts")

#: File systems that other machines serve, by the beginning of their names.
_NETWORK = (
    "nfs", "cifs", "smb", "lustre", "gpfs", "beegfs", "ceph", "glusterfs", "panfs",
    "afs", "9p", "orangefs", "pvfs", "wekafs", "fuse.sshfs", "fuse.s3fs",
    "fuse.gcsfuse", "fuse.rclone", "fuse.glusterfs", "fuse.ceph",
)  # fmt: skip


def file_system_of(folder: Path) -> tuple[str, bool]:
    """Type of the file system of a folder, and whether another machine serves it.

    `unknown` where the system does not tell.
    """
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "unknown", False
    path, best, kind = folder.resolve(), "", "unknown"
    for line in lines:
        _, place, found, *_ = [*line.split(), "", "", ""]
        # Spaces and the like are written as octal numbers.
        place = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), place)
        if place and path.is_relative_to(place) and len(place) >= len(best):
            best, kind = place, found
    return kind, kind.startswith(_NETWORK)
