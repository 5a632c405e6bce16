// What the programs of this folder share: errors end them, and the comparison
// with the CPU's result decides their exit status.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Error = (Call);                                                \
    if (Error != cudaSuccess) {                                                \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__,                       \
                  cudaGetErrorName(Error), cudaGetErrorString(Error));         \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

#define EXPECT(Condition)                                                      \
  do {                                                                         \
    if (!(Condition)) {                                                        \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #Condition);      \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

// Prints "ok" if all elements are the reference's.
template <typename T>
int compare(const T *Got, const T *Want, size_t Count, double Tolerance = 0) {
  for (size_t I = 0; I < Count; ++I)
    if (std::fabs(double(Got[I]) - double(Want[I])) > Tolerance) {
      std::printf("element %zu is %g, not %g\n", I, double(Got[I]),
                  double(Want[I]));
      return 1;
    }
  std::puts("ok");
  return 0;
}
