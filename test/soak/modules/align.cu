// Local alignment of two strings along anti-diagonals.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_70
// FLAGS: -O0 --cuda-gpu-arch=sm_70

__constant__ signed char scores[4][4] = {
    {5, -4, -4, -4}, {-4, 5, -4, -4}, {-4, -4, 5, -4}, {-4, -4, -4, 5}};

__global__ void alignPair(const char *a, const char *b, int n, int m,
                          short *table, int *best) {
  __shared__ short rows[3][130];
  int j = threadIdx.x + 1;
  for (int r = 0; r < 3; ++r)
    rows[r][j] = 0;
  __syncthreads();
  int top = 0;
  for (int d = 2; d <= n + m; ++d) {
    int i = d - j, now = d % 3, last = (d + 2) % 3, before = (d + 1) % 3;
    short score = 0;
    if (i >= 1 && i <= n && j <= m) {
      short match = rows[before][j - 1] + scores[a[i - 1] & 3][b[j - 1] & 3];
      short gap = max(rows[last][j], rows[last][j - 1]) - 3;
      score = max(max(match, gap), (short)0);
      table[i * (m + 1) + j] = score;
      top = max(top, (int)score);
    }
    __syncthreads();
    rows[now][j] = score;
    __syncthreads();
  }
  atomicMax(best, top);
}
