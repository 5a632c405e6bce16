// A program that forks before it uses CUDA: each process has its own GPU, and
// the report adds them up. A fork of a process that used CUDA cannot.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// CHECK: ok
// JSON: "name": "_Z3addPii"
// JSON: "launches": 2

#include "Inputs/check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *data, int value) { *data += value; }

static int compute(int value) {
  int *data, result;
  CHECK(cudaMalloc(&data, sizeof(int)));
  CHECK(cudaMemset(data, 0, sizeof(int)));
  add<<<1, 1>>>(data, value);
  CHECK(cudaMemcpy(&result, data, sizeof(int), cudaMemcpyDeviceToHost));
  return result;
}

int main() {
  pid_t child = fork();
  if (!child)
    _exit(compute(5) == 5 ? 42 : 1);
  int status;
  EXPECT(compute(6) == 6);
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 42);
  child = fork();
  if (!child) {
    void *memory;
    _exit(cudaMalloc(&memory, 4) == cudaErrorInitializationError ? 43 : 1);
  }
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 43);
  std::puts("ok");
}
