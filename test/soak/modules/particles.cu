// Structs by value, in parameters and arrays, with methods.
//
// REQUIRES: cuda, ptxas, llvm
// RUN: %soak %s | FileCheck %s
// CHECK: soak: passed
//
// FLAGS: -O3 --cuda-gpu-arch=sm_70
// FLAGS: -O0 -g --cuda-gpu-arch=sm_80

struct Vec {
  float x, y, z;
  __device__ Vec operator+(const Vec &o) const {
    return {x + o.x, y + o.y, z + o.z};
  }
  __device__ Vec operator*(float k) const { return {x * k, y * k, z * k}; }
  __device__ float dot(const Vec &o) const {
    return x * o.x + y * o.y + z * o.z;
  }
};

struct Particle {
  Vec place, speed;
  double mass;
  unsigned char kind;
};

struct World {
  Vec low, high;
  float damping[4];
  int count;
};

__device__ __noinline__ Particle bounce(Particle p, World w) {
  float *place = &p.place.x;
  float *speed = &p.speed.x;
  const float *low = &w.low.x;
  const float *high = &w.high.x;
  for (int axis = 0; axis < 3; ++axis)
    if (place[axis] < low[axis] || place[axis] > high[axis])
      speed[axis] = -speed[axis] * w.damping[p.kind & 3];
  return p;
}

__global__ void step(Particle *all, World w, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w.count)
    return;
  Particle p = bounce(all[i], w);
  Vec force = {0, 0, 0};
  float recent[4];
  for (int j = 0; j < w.count; ++j) {
    Vec d = all[j].place + p.place * -1.0f;
    float r = d.dot(d) + 0.01f;
    recent[j & 3] = r;
    force = force + d * (float(all[j].mass) / (r * sqrtf(r)));
  }
  p.speed = p.speed + force * (dt + recent[i & 3] * 0.0f);
  p.place = p.place + p.speed * dt;
  all[i] = p;
}
