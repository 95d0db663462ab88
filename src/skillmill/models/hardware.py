"""What this machine computes with: the instructions of its CPU, a GPU.

Found without any neural library, since a vector's identity must be known by runs
that compute none.
"""

import importlib.metadata
import os
import platform
from functools import cache
from pathlib import Path

from skillmill.errors import ModelError

_CPUINFO = Path("/proc/cpuinfo")
_NVIDIA = (Path("/proc/driver/nvidia/version"), Path("/dev/dxg"))

#: Sets that change how rounded numbers are multiplied, the widest first.
_SETS = (
    "amx_int8",
    "avx512_vnni",
    "avx_vnni",
    "avx512bw",
    "avx2",
    "i8mm",
    "asimddp",
    "asimd",
)
_DOT_PRODUCT = frozenset({"amx_int8", "avx512_vnni", "avx_vnni"})
_BFLOAT16 = frozenset({"amx_bf16", "avx512_bf16", "bf16"})
_X86 = frozenset({"x86_64", "amd64"})


@cache
def cpu_flags() -> frozenset[str]:
    """Flags of the first CPU; none where the system does not list them."""
    try:
        lines = _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    for line in lines:
        name, _, flags = line.partition(":")
        if name.strip() in ("flags", "Features"):
            return frozenset(flags.split())
    return frozenset()


def instruction_set() -> str:
    """Name of the widest instructions for 8-bit integers; the machine's, if unknown."""
    return next((name for name in _SETS if name in cpu_flags()), platform.machine())


def adds_without_overflow() -> bool:
    """Whether 8-bit products are added in 32 bits.

    Older x86 CPUs add pairs of them in 16 bits, where sums of full products saturate.
    """
    return platform.machine().lower() not in _X86 or bool(_DOT_PRODUCT & cpu_flags())


def has_bfloat16() -> bool:
    """Whether the CPU multiplies bfloat16 itself; elsewhere it is slower."""
    return bool(_BFLOAT16 & cpu_flags())


def has_cuda() -> bool:
    """Whether a CUDA GPU, its driver and a torch built for it seem to be here."""
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0") in ("", "-1"):
        return False
    try:
        if importlib.metadata.version("torch").endswith("+cpu"):
            return False
    except importlib.metadata.PackageNotFoundError:
        return False
    return any(path.exists() for path in _NVIDIA)


def device_for(wanted: str) -> str:
    """Device that `auto`, `cpu` or `cuda` stands for on this machine.

    Raises
    ------
    ModelError
        If `cuda` is wanted and there is none.
    """
    if wanted == "auto":
        return "cuda" if has_cuda() else "cpu"
    if wanted == "cuda" and not has_cuda():
        raise ModelError(
            "encoder.device is 'cuda', but this machine has no CUDA GPU that the"
            " installed torch can use; set it to 'auto' or 'cpu', or ask the scheduler"
            " for a GPU (encoder.gpus)",
            record="encoder.device",
        )
    return wanted
