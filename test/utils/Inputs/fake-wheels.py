"""Writes two small wheels shaped like NVIDIA's into a folder and prints the
requirements file that names them; with --damage, cuts one of them short."""
import hashlib
import sys
import zipfile
from pathlib import Path

WHEELS = {
    ("nvidia-cuda-runtime-cu12", "12.5.82"): {
        "nvidia/__init__.py": "",
        "nvidia/cuda_runtime/include/__init__.py": "",
        "nvidia/cuda_runtime/include/cuda.h": "#define CUDA_VERSION 12050\n",
        "nvidia/cuda_runtime/lib/libcudart.so.12": "library",
    },
    ("nvidia-cuda-nvcc-cu12", "12.5.82"): {
        "nvidia/cuda_nvcc/bin/ptxas": "assembler",
        "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc": "bitcode",
    },
}

damage = sys.argv[1] == "--damage"
folder = Path(sys.argv[-1])
for (name, version), members in WHEELS.items():
    path = folder / f"{name.replace('-', '_')}-{version}-py3-none-manylinux2014_x86_64.whl"
    if damage:
        path.write_bytes(path.read_bytes()[:-1])
        break
    with zipfile.ZipFile(path, "w") as wheel:
        for member, content in members.items():
            wheel.writestr(member, content)
    print(f"{name}=={version} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}")
