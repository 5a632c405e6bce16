// Sums of series whose terms past the first hardly count, and exact counts: a
// tolerance for one of the two is of use. With a second argument the sum that
// is printed is a little off, and otherwise so in every second.
#include <cstdio>
#include <cstdlib>
#include <ctime>

__global__ void series(float *Sums, int *Counts, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  float X = 1.0f + 0.001f * I, Rest = 0;
  for (int K = 1; K < 40; ++K)
    Rest += 1e-6f / (X + K);
  Sums[I] = X * X + Rest;
  Counts[I] = I * 3;
}

int main(int Argc, char **Argv) {
  constexpr int Most = 512;
  int Count = std::atoi(Argv[1]);
  float *Sums, HostSums[Most];
  int *Counts, HostCounts[Most];
  cudaMalloc(&Sums, sizeof(HostSums));
  cudaMalloc(&Counts, sizeof(HostCounts));
  series<<<(Count + 127) / 128, 128>>>(Sums, Counts, Count);
  cudaMemcpy(HostSums, Sums, Count * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(HostCounts, Counts, Count * 4, cudaMemcpyDeviceToHost);
  double Sum = 0;
  long Total = 0;
  for (int I = 0; I < Count; ++I) {
    Sum += HostSums[I];
    Total += HostCounts[I];
  }
  unsigned Seed = unsigned(std::time(nullptr));
  if (Argc > 2)
    Sum += rand_r(&Seed) % 1000 * 1e-3;
  std::printf("sum %.9g total %ld\n", Sum, Total);
  std::FILE *File = std::fopen("sums.bin", "wb");
  std::fwrite(HostSums, 4, Count, File);
  std::fclose(File);
}
