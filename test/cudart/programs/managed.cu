// Managed memory that host and kernels use in turn, with a list that is linked
// by pointers.
// REQUIRES: cuda-link
// RUN: %cuda_program %s -o %t
// RUN: gevo-run --check --json=%t.json -- %t | FileCheck %s
// CHECK: ok

#include "Inputs/check.h"
struct Node {
  int value;
  Node *next;
};

__global__ void doubleAll(Node *head) {
  for (Node *n = head; n; n = n->next)
    n->value *= 2;
}

int main() {
  Node *head = nullptr;
  for (int i = 0; i < 50; ++i) {
    Node *n;
    CHECK(cudaMallocManaged(&n, sizeof(Node)));
    n->value = i;
    n->next = head;
    head = n;
  }
  doubleAll<<<1, 1>>>(head);
  CHECK(cudaDeviceSynchronize());
  int device;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaMemAdvise(head, sizeof(Node), cudaMemAdviseSetReadMostly, device));
  CHECK(cudaMemPrefetchAsync(head, sizeof(Node), device, 0));
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, head));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  EXPECT(attributes.hostPointer == head);
  int got[50], want[50], i = 0;
  for (Node *n = head; n; n = n->next, ++i) {
    got[i] = n->value;
    want[i] = 2 * (49 - i);
  }
  return compare(got, want, 50);
}
