// Says in a file that it runs, and waits to be ended.
#include <cstdio>
#include <unistd.h>

__global__ void nothing() {}

int main(int, char **Arguments) {
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  FILE *File = std::fopen(Arguments[1], "w");
  std::fprintf(File, "%d\n", int(getpid()));
  std::fclose(File);
  pause();
  return 0;
}
