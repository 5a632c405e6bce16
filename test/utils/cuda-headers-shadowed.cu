// Another CUDA's headers in a system folder do not shadow those of the tree.

// REQUIRES: cuda, ptxas
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '#error "the wrong CUDA header"' > %t/cuda_runtime.h
// RUN: cp %t/cuda_runtime.h %t/cuda_fp16.h
// RUN: env CPLUS_INCLUDE_PATH=%t %clangxx_cuda --cuda-gpu-arch=sm_70 -c %s -o %t/a.o --cuda-device-only

#include <cuda_fp16.h>

__global__ void half2float(const __half *In, float *Out) { *Out = __half2float(*In); }
