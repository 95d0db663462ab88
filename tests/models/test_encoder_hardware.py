"""What the machine computes with is found without a neural library."""

import importlib.metadata

import pytest

from skillmill.models import hardware

SERVER = "processor\t: 0\nflags\t\t: fpu avx2 avx512bw avx512_vnni avx512_bf16\n"
LAPTOP = "processor\t: 0\nflags\t\t: fpu avx2\n"
ARM = "processor\t: 0\nFeatures\t: fp asimd asimddp bf16 i8mm\n"


@pytest.fixture
def cpu(monkeypatch, tmp_path):
    def use(content, machine="x86_64"):
        path = tmp_path / "cpuinfo"
        if content is not None:
            path.write_text(content)
        monkeypatch.setattr(hardware, "_CPUINFO", path)
        monkeypatch.setattr(hardware.platform, "machine", lambda: machine)
        hardware.cpu_flags.cache_clear()

    yield use
    hardware.cpu_flags.cache_clear()


@pytest.mark.parametrize(
    ("content", "machine", "name", "exact", "bf16"),
    [
        (SERVER, "x86_64", "avx512_vnni", True, True),
        (LAPTOP, "x86_64", "avx2", False, False),
        (ARM, "aarch64", "i8mm", True, True),
        (None, "arm64", "arm64", True, False),
        (None, "AMD64", "AMD64", False, False),
    ],
)
def test_instructions_are_told_by_the_system(cpu, content, machine, name, exact, bf16):
    cpu(content, machine)
    assert hardware.instruction_set() == name
    assert hardware.adds_without_overflow() == exact
    assert hardware.has_bfloat16() == bf16


@pytest.fixture
def gpu(monkeypatch, tmp_path):
    (tmp_path / "version").write_text("driver")
    monkeypatch.setattr(hardware, "_NVIDIA", (tmp_path / "version",))
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.13.0+cu130")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


def test_a_driver_and_a_torch_built_for_it_make_a_gpu(gpu):
    assert hardware.has_cuda()
    assert hardware.device_for("auto") == "cuda"


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_a_hidden_gpu_is_none(gpu, monkeypatch, hidden):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
    assert hardware.device_for("auto") == "cpu"


def test_a_torch_for_cpus_or_none_uses_no_gpu(gpu, monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "2.13.0+cpu")
    assert not hardware.has_cuda()

    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    assert not hardware.has_cuda()
