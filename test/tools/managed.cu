// clang takes __managed__ variables for the host's, with a warning that a build
// may not show; gevo-clang++ refuses them where they stand.
// REQUIRES: plugin, cuda
// RUN: not gevo-clang++ -w -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: managed.cu:[[#@LINE+2]]:8: error: clang has no __managed__: use cudaMallocManaged
// CHECK-NOT: error: {{.*}}'Shared'
static __managed__ int Shared = 3;

__global__ void add(int *Sum) { *Sum += Shared; }

int main() { return Shared; }
