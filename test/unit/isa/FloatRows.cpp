//===- FloatRows.cpp - Floating-point arithmetic --------------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounded operations bit by bit; approximations within the error that the PTX
// manual states for them.
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/FloatReference.h"
#include "test/unit/isa/Tables.h"

#include <cmath>

using namespace gevo::isa;

namespace {
/// Calls \p One for each part of a packed type.
template <typename Op>
void eachPart(Type T, const uint64_t *In, Want *Out, Op One) {
  for (unsigned P = 0; P < T.Parts; ++P) {
    uint64_t Part[MaxOperands];
    for (unsigned K = 0; K < MaxOperands; ++K)
      Part[K] = In[K] >> (P * T.Size % 64) & T.mask();
    Out[P] = One(Part);
  }
}

/// The value with its subnormals flushed if the form says so.
uint64_t operand(const Form &F, uint64_t Bits, Type T) {
  return F.has("ftz") ? flush(Bits, T) : Bits;
}
Want result(const Form &F, uint64_t Bits, Type T) {
  if (F.has("ftz"))
    Bits = flush(Bits, T);
  if (F.has("sat"))
    Bits = saturate(Bits, T);
  // A negative result becomes zero, and so may a negative zero.
  if (F.has("relu") && !isNan(Bits, T) && isNegative(Bits, T))
    return Want::between(0, 0);
  return floatWant(Bits, T);
}

void arithmetic(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type().part();
  eachPart(F.type(), In, Out, [&](const uint64_t *P) {
    Real A(operand(F, P[0], T), T), B(operand(F, P[1], T), T),
        C(operand(F, P[2], T), T);
    const std::string &Op = F.opcode();
    uint64_t Bits =
        rounded(T, F.round(), [&](mpfr_ptr R, mpfr_rnd_t Direction) {
          if (Op == "add")
            return mpfr_add(R, A.get(), B.get(), Direction);
          if (Op == "sub")
            return mpfr_sub(R, A.get(), B.get(), Direction);
          if (Op == "mul")
            return mpfr_mul(R, A.get(), B.get(), Direction);
          if (Op == "div")
            return mpfr_div(R, A.get(), B.get(), Direction);
          if (Op == "sqrt")
            return mpfr_sqrt(R, A.get(), Direction);
          if (Op == "rcp")
            return mpfr_ui_div(R, 1, A.get(), Direction);
          return mpfr_fma(R, A.get(), B.get(), C.get(), Direction);
        });
    return result(F, Bits, T);
  });
}

void minmax(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type().part();
  uint64_t Sign = formatOf(T).sign();
  eachPart(F.type(), In, Out, [&](const uint64_t *P) {
    uint64_t A = operand(F, P[0], T), B = operand(F, P[1], T);
    uint64_t Xor = (A ^ B) & Sign;
    if (F.has("xorsign")) {
      A &= ~Sign;
      B &= ~Sign;
    }
    bool NanA = isNan(A, T), NanB = isNan(B, T);
    if ((NanA && NanB) || (F.has("NaN") && (NanA || NanB)))
      return floatWant(canonicalNan(T), T);
    uint64_t V;
    if (NanA || NanB) {
      V = NanA ? B : A;
    } else {
      // -0 is below +0.
      double X = decode(A, T), Y = decode(B, T);
      bool Less = X < Y || (X == Y && (A & Sign) && !(B & Sign));
      V = Less == (F.opcode() == "min") ? A : B;
    }
    if (F.has("xorsign"))
      V |= Xor;
    if (F.has("relu") && (V & Sign))
      return Want::between(0, 0);
    return floatWant(V, T);
  });
}

void sign(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type().part();
  uint64_t Sign = formatOf(T).sign();
  eachPart(F.type(), In, Out, [&](const uint64_t *P) {
    if (isNan(P[0], T))
      return Want::nan();
    uint64_t A = operand(F, P[0], T);
    return Want::exact(F.opcode() == "neg" ? A ^ Sign : A & ~Sign);
  });
}

void copysign(const Form &F, const uint64_t *In, Want *Out) {
  uint64_t Sign = formatOf(F.type()).sign();
  Out[0] = Want::exact((In[0] & Sign) | (In[1] & ~Sign));
}

void testp(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  double V = decode(In[0], T);
  bool Small = V != 0 && !(In[0] & formatOf(T).inf());
  bool R = F.has("finite")       ? std::isfinite(V)
           : F.has("infinite")   ? std::isinf(V)
           : F.has("number")     ? !std::isnan(V)
           : F.has("notanumber") ? std::isnan(V)
           : F.has("subnormal")  ? Small
                                // Zeros count as normal.
                                : std::isfinite(V) && !Small;
  Out[0] = Want::exact(R);
}

/// \name Approximations
/// @{
struct Error {
  double Absolute = 0, Relative = 0, Ulps = 0;
};

/// An interval around a true value, with the values at its ends that \p T
/// rounds to.
Want around(const Form &F, double True, Error E, Type T) {
  if (std::isnan(True))
    return floatWant(canonicalNan(T), T);
  Format Fmt = formatOf(T);
  double Least = std::ldexp(1.0, 3 - (1 << (Fmt.Exp - 1)) - Fmt.Mant);
  double Normal = std::ldexp(1.0, 2 - (1 << (Fmt.Exp - 1)));
  double Greatest = decode(Fmt.inf() - 1, T);
  if (std::isinf(True) || True == 0)
    return Want::exact(encode(True, T));
  double Ulp = std::ldexp(1.0, std::ilogb(True) - Fmt.Mant);
  double Room = E.Absolute + E.Relative * std::fabs(True) +
                E.Ulps * (Ulp < Least ? Least : Ulp);
  // A bound that is finer than the type leaves the nearest value.
  Room = Room < Ulp / 2 ? Ulp / 2 : Room;
  // Subnormal results have an absolute error of the last place.
  Room = Room < Least ? Least : Room;
  double Lo = True - Room, Hi = True + Room;
  if (F.has("ftz") && std::fabs(True) - Room < Normal) {
    Lo = Lo < 0 ? Lo : 0;
    Hi = Hi > 0 ? Hi : 0;
  }
  if (Hi > Greatest)
    Hi = HUGE_VAL;
  if (Lo < -Greatest)
    Lo = -HUGE_VAL;
  return Want::between(Lo, Hi);
}

int reciprocal(mpfr_ptr R, mpfr_srcptr A, mpfr_rnd_t D) {
  return mpfr_ui_div(R, 1, A, D);
}

void approximate(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type().part();
  const std::string &Op = F.opcode();
  auto Fn = Op == "rcp"     ? reciprocal
            : Op == "sqrt"  ? mpfr_sqrt
            : Op == "rsqrt" ? mpfr_rec_sqrt
            : Op == "sin"   ? mpfr_sin
            : Op == "cos"   ? mpfr_cos
            : Op == "lg2"   ? mpfr_log2
            : Op == "ex2"   ? mpfr_exp2
                            : mpfr_tanh;
  eachPart(F.type(), In, Out, [&](const uint64_t *P) {
    double X = decode(operand(F, P[0], T), T);
    double True = trueValue(Fn, X);
    Error E;
    if (Op == "rcp" && T.Size == 32) {
      E.Ulps = 1;
    } else if (Op == "sqrt") {
      E.Relative = 0x1p-23;
    } else if (Op == "rsqrt" && T.Size == 32) {
      E.Relative = std::exp2(-22.9);
    } else if (Op == "rcp" || Op == "rsqrt") {
      // Double precision: an approximation in the high word.
      E.Relative = F.has("ftz") ? 0x1p-20 : 0x1p-51;
    } else if (Op == "sin" || Op == "cos") {
      // Beyond a hundred half turns the manual gives no bound.
      if (std::isfinite(X) && std::fabs(X) > 100 * M_PI)
        return Want::between(-1, 1);
      E.Absolute = std::exp2(std::fabs(X) <= 2 * M_PI ? -20.5 : -14.7);
    } else if (Op == "lg2") {
      if (X > 0.5 && X < 2)
        E.Absolute = 0x1p-22;
      else
        E.Relative = 0x1p-22;
    } else if (Op == "ex2") {
      E.Relative = T.K == Type::Brain ? 0x1p-7
                   : T.Size == 16     ? std::exp2(-9.9)
                                      : std::exp2(-22.5);
    } else if (T.Size == 32) { // tanh
      E.Relative = 0x1p-11;
    } else {
      E.Absolute = T.K == Type::Brain ? 0x1p-8 : std::exp2(-10.987);
    }
    if (Op == "rsqrt" && X == 0)
      return Want::exact(encode(1 / X, T)); // -0 gives -infinity.
    // Zeros keep their sign where the function does.
    if (True == 0 && (Op == "sin" || Op == "tanh" || Op == "sqrt"))
      return Want::exact(operand(F, P[0], T));
    return around(F, True, E, T);
  });
}

/// div.approx and div.full.
void divide(const Form &F, const uint64_t *In, Want *Out) {
  Type T = F.type();
  double A = decode(operand(F, In[0], T), T),
         B = decode(operand(F, In[1], T), T);
  double M = std::fabs(B);
  if (F.has("approx") && M > 0x1p126 && std::isfinite(B)) {
    Out[0] = std::isinf(A) || std::isnan(A) ? floatWant(canonicalNan(T), T)
                                            : Want::between(0, 0);
    return;
  }
  // Without a bound below the normal divisors the quotient still has its sign
  // and a size of its order.
  double True = A / B;
  Out[0] = around(F, True, {0, 0, 2}, T);
}
/// @}
} // namespace

#define GEVO_ROUND "{.rn,.rz,.rm,.rp}"

const std::vector<Row> &gevo::isa::floatRows() {
  static const std::vector<Row> Rows = {
      {"{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32", "T=T,T",
       arithmetic},
      {"{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64", "T=T,T", arithmetic},
      {"{add,sub,mul}{,.rn}{,.ftz}{,.sat}{.f16,.f16x2}", "T=T,T", arithmetic},
      {"{add,sub,mul}{,.rn}{.bf16,.bf16x2}", "T=T,T", arithmetic},
      {"{fma,mad}" GEVO_ROUND "{,.ftz}{,.sat}.f32", "T=T,T,T", arithmetic},
      {"{fma,mad}" GEVO_ROUND ".f64", "T=T,T,T", arithmetic},
      {"fma.rn{,.ftz}{,.sat}{.f16,.f16x2}", "T=T,T,T", arithmetic},
      {"fma.rn{,.ftz}.relu{.f16,.f16x2}", "T=T,T,T", arithmetic},
      {"fma.rn{,.relu}{.bf16,.bf16x2}", "T=T,T,T", arithmetic},
      {"div" GEVO_ROUND "{,.ftz}.f32", "T=T,T", arithmetic},
      {"div" GEVO_ROUND ".f64", "T=T,T", arithmetic},
      {"{rcp,sqrt}" GEVO_ROUND "{,.ftz}.f32", "T=T", arithmetic},
      {"{rcp,sqrt}" GEVO_ROUND ".f64", "T=T", arithmetic},
      {"{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32", "T=T,T", minmax},
      {"{min,max}.f64", "T=T,T", minmax},
      {"{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}{.f16,.f16x2}", "T=T,T", minmax},
      {"{min,max}{,.NaN}{,.xorsign.abs}{.bf16,.bf16x2}", "T=T,T", minmax},
      {"{abs,neg}{,.ftz}{.f32,.f16,.f16x2}", "T=T", sign},
      {"{abs,neg}{.f64,.bf16,.bf16x2}", "T=T", sign},
      {"copysign{.f32,.f64}", "T=T,T", copysign},
      {"testp{.finite,.infinite,.number,.notanumber,.normal,.subnormal}"
       "{.f32,.f64}",
       "p=T", testp},
      {"{rcp,sqrt,rsqrt,sin,cos,lg2,ex2}.approx{,.ftz}.f32", "T=T",
       approximate},
      {"{rcp,rsqrt}.approx.ftz.f64", "T=T", approximate},
      {"rsqrt.approx.f64", "T=T", approximate},
      {"tanh.approx{.f32,.f16,.f16x2,.bf16,.bf16x2}", "T=T", approximate},
      {"ex2.approx{.f16,.f16x2}", "T=T", approximate},
      {"ex2.approx.ftz{.bf16,.bf16x2}", "T=T", approximate},
      {"div{.approx,.full}{,.ftz}.f32", "T=T,T", divide},
  };
  return Rows;
}
