// What is inlined into the kernel of inlined-lines.cu.
#include <cassert>
template <typename T> __device__ T positive(const T *from, int i) {
  assert(from[i] > 0);
  return from[i];
}
