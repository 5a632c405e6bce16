// A small interpreter: switches in loops, jumps out of both.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_70
// FLAGS: -O0 --cuda-gpu-arch=sm_70

enum Code : unsigned char {
  Push,
  Add,
  Sub,
  Mul,
  Div,
  Dup,
  Drop,
  Jump,
  JumpIfZero,
  Load,
  Store,
  Halt
};

__global__ void interpret(const unsigned char *programs, const int *starts,
                          int *memory, int *results, int steps) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char *code = programs + starts[thread];
  int stack[16] = {};
  int top = 0, at = 0;
  for (int s = 0; s < steps; ++s) {
    int &a = stack[top & 15], &b = stack[(top - 1) & 15];
    switch (code[at++]) {
    case Push:
      stack[++top & 15] = code[at++];
      break;
    case Add:
      b += a, --top;
      break;
    case Sub:
      b -= a, --top;
      break;
    case Mul:
      b *= a, --top;
      break;
    case Div:
      if (a == 0)
        goto failed;
      b /= a, --top;
      break;
    case Dup:
      stack[(top + 1) & 15] = a, ++top;
      break;
    case Drop:
      --top;
      break;
    case Jump:
      at = code[at];
      break;
    case JumpIfZero:
      at = a == 0 ? code[at] : at + 1;
      break;
    case Load:
      a = memory[a & 1023];
      break;
    case Store:
      memory[a & 1023] = b, top -= 2;
      break;
    case Halt:
      results[thread] = a;
      return;
    default:
      goto failed;
    }
  }
failed:
  results[thread] = -1;
}

// Cases that share a block: it comes to the phi by several edges.
__global__ void classify(const int *in, int *out, int low, int high, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int v;
  switch (in[i]) {
  case 1:
  case 5:
  case 70:
  case 1000:
    v = low;
    break;
  case 3:
  case -8:
    v = high * in[i + 1];
    break;
  default:
    v = in[i] ^ out[i];
  }
  out[i] = v;
}
