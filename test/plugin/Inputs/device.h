//===- device.h - The part of CUDA that the plugin's tests use --*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiling NVIDIA's headers takes most of a second; tests that do not need
// them include this instead, with -nocudainc (%cuda_small).
//
//===----------------------------------------------------------------------===//

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ dim3(unsigned x, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
};
typedef struct CUstream_st *cudaStream_t;
typedef enum cudaError { cudaSuccess } cudaError_t;
extern "C" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **,
                                        __SIZE_TYPE__, cudaStream_t);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, __SIZE_TYPE__ = 0,
                                                cudaStream_t = nullptr);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *,
                                                  __SIZE_TYPE__ *, void *);

static __device__ inline int globalIndex() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}
static __device__ inline int laneIndex() {
  return __nvvm_read_ptx_sreg_tid_x();
}
static __device__ inline void barrier() { __syncthreads(); }
