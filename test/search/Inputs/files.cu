// Writes numbers to the file that is named first, perhaps after "--to=" or "-o",
// or to a file in the folder of that name, and says nothing of them. A number
// from a second file is added to each. A third argument is the ending of another
// file that must be beside the second. LOG asks for a file whose name is another
// one every time.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
__global__ void fill(float *To, int N, float First) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
#pragma unroll 1
  for (int J = 0; J < 20; ++J) {
    To[I] = First;
    __syncthreads();
  }
  To[I] = First + I * 0.5f;
}
int main(int Count, char **Arguments) {
  constexpr int N = 200;
  float Numbers[N], *Device, First = 1;
  if (Count > 2) {
    FILE *From = fopen(Arguments[2], "r");
    if (!From || fscanf(From, "%f", &First) != 1)
      return 3;
    fclose(From);
    if (Count > 3 &&
        access((std::string(Arguments[2]) + Arguments[3]).c_str(), R_OK))
      return 4;
  }
  cudaMalloc(&Device, sizeof(Numbers));
  fill<<<4, 50>>>(Device, N, First);
  cudaMemcpy(Numbers, Device, sizeof(Numbers), cudaMemcpyDeviceToHost);
  std::string Name = Count > 1 ? Arguments[1] : "deep/er/res.txt";
  for (std::string Option : {"--to=", "-o"})
    if (!Name.compare(0, Option.size(), Option))
      Name.erase(0, Option.size());
  struct stat There;
  if (!stat(Name.c_str(), &There) && S_ISDIR(There.st_mode))
    Name += "/res.txt";
  mkdir("deep", 0777);
  mkdir("deep/er", 0777);
  FILE *Errors = fopen("errors.log", "w");
  if (Name == "errors.log") {
    if (Numbers[2] != First + 1)
      fprintf(Errors, "number 2 is %g\n", Numbers[2]);
  } else if (FILE *To = fopen(Name.c_str(), "w")) {
    for (float Number : Numbers)
      fprintf(To, "%g\n", Number);
    fclose(To);
  } else {
    return 2;
  }
  fclose(Errors);
  if (getenv("LOG"))
    fclose(fopen(("deep/" + std::to_string(getpid())).c_str(), "w"));
  puts("done");
}
