// The mathematics of libdevice against the C library, within a few units.
// REQUIRES: cuda
// RUN: %clangxx_cuda --cuda-device-only -O2 --cuda-gpu-arch=sm_70 -S %s -o %t.ptx
// RUN: gevo-run --ptx %t.ptx %S/Inputs/libdevice.json --out %t.out > %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: clang++ -std=c++17 -O1 -ffp-contract=off -I %gevo_src -x c++ %s -o %t.reference
// RUN: %t.reference %t.out
// CHECK: "status": "ok"

#ifdef __CUDA__
extern "C" __global__ void doubles(const double *X, double *Out, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  double V = X[I];
  Out[0 * N + I] = sin(V);
  Out[1 * N + I] = cos(V);
  Out[2 * N + I] = tan(V);
  Out[3 * N + I] = asin(V);
  Out[4 * N + I] = acos(V);
  Out[5 * N + I] = atan(V);
  Out[6 * N + I] = sinh(V);
  Out[7 * N + I] = cosh(V);
  Out[8 * N + I] = tanh(V);
  Out[9 * N + I] = exp(V);
  Out[10 * N + I] = exp2(V);
  Out[11 * N + I] = expm1(V);
  Out[12 * N + I] = log1p(V);
  Out[13 * N + I] = cbrt(V);
  Out[14 * N + I] = erf(V);
  Out[15 * N + I] = lgamma(V);
  Out[16 * N + I] = sqrt(V);
  Out[17 * N + I] = pow(fabs(V), 1.7);
  Out[18 * N + I] = log(fabs(V));
  Out[19 * N + I] = atan2(V, 0.3);
  Out[20 * N + I] = fmod(V, 0.07);
}

extern "C" __global__ void floats(const float *X, float *Out, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float V = X[I];
  Out[0 * N + I] = sinf(V);
  Out[1 * N + I] = cosf(V);
  Out[2 * N + I] = tanf(V);
  Out[3 * N + I] = asinf(V);
  Out[4 * N + I] = acosf(V);
  Out[5 * N + I] = atanf(V);
  Out[6 * N + I] = sinhf(V);
  Out[7 * N + I] = coshf(V);
  Out[8 * N + I] = tanhf(V);
  Out[9 * N + I] = expf(V);
  Out[10 * N + I] = exp2f(V);
  Out[11 * N + I] = expm1f(V);
  Out[12 * N + I] = log1pf(V);
  Out[13 * N + I] = cbrtf(V);
  Out[14 * N + I] = erff(V);
  Out[15 * N + I] = lgammaf(V);
  Out[16 * N + I] = sqrtf(V);
  Out[17 * N + I] = powf(fabsf(V), 1.7f);
  Out[18 * N + I] = logf(fabsf(V));
  Out[19 * N + I] = atan2f(V, 0.3f);
  Out[20 * N + I] = fmodf(V, 0.07f);
}

#else

#include "test/gpu/kernels/Inputs/Reference.h"

/// Applies the list of functions in the order of the kernels.
template <typename T> std::vector<double> expected(const std::vector<T> &X) {
  using Function = double (*)(double);
  const Function Functions[] = {
      ::sin, ::cos,  ::tan,   ::asin,  ::acos, ::atan, ::sinh,   ::cosh, ::tanh,
      ::exp, ::exp2, ::expm1, ::log1p, ::cbrt, ::erf,  ::lgamma, ::sqrt};
  std::vector<double> Want;
  for (Function F : Functions)
    for (T V : X)
      Want.push_back(F(double(V)));
  for (T V : X)
    Want.push_back(std::pow(std::fabs(double(V)), double(T(1.7))));
  for (T V : X)
    Want.push_back(std::log(std::fabs(double(V))));
  for (T V : X)
    Want.push_back(std::atan2(double(V), double(T(0.3))));
  for (T V : X)
    Want.push_back(std::fmod(double(V), double(T(0.07))));
  return Want;
}

template <typename T> std::vector<double> widen(const std::vector<T> &X) {
  return std::vector<double>(X.begin(), X.end());
}

int main(int, char **Argv) {
  Comparison C;
  C.near("double", load<double>(Argv[1], "y"),
         expected(load<double>(Argv[1], "x")), 4e-15);
  C.near("float", widen(load<float>(Argv[1], "yf")),
         expected(load<float>(Argv[1], "xf")), 2e-6);
  return C.verdict();
}

#endif
