//===- AddressRows.cpp - Addresses, stack, fences and hints ---------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between address spaces by what is found at the address; and the
// instructions that must run and change nothing.
//
//===----------------------------------------------------------------------===//

#include "test/unit/isa/Tables.h"

using namespace gevo::isa;

namespace {
void same(const Form &, const uint64_t *In, Want *Out) {
  Out[0] = Want::exact(In[0]);
}
void zero(const Form &, const uint64_t *, Want *Out) {
  Out[0] = Want::exact(0);
}
/// What the constant bytes begin with.
void known(const Form &, const uint64_t *, Want *Out) {
  Out[0] = Want::exact(knownWord(0));
}

/// Addresses of global, shared, local and constant memory and a parameter, by
/// the value of $a; the result says whether it is in the form's space. The
/// window of parameters is a part of global memory.
void inSpace(const Form &F, const uint64_t *In, Want *Out) {
  unsigned Which = In[0] % 5;
  bool Is = F.has("global")  ? Which == 0 || Which == 4
            : F.has("local") ? Which == 2
            : F.has("const") ? Which == 3
            : F.has("param") || F.has("param::entry")
                ? Which == 4
                : Which == 1; // shared, of the block or the cluster
  Out[0] = Want::exact(Is);
}
void lowSpace(const Form &F, const uint64_t *, Want *Out) {
  Out[0] = Want::exact(F.has("global"));
}
} // namespace

const std::vector<Row> &gevo::isa::addressRows() {
  static const std::vector<Row> Rows = {
      {"cvta.global.u64", "b64=b64", same,
       "st.global.b64 [$m], $a; $I %wide, $m; ld.b64 $d, [%wide];"},
      {"cvta{.shared,.shared::cta,.shared::cluster}.u64", "b64=b64", same,
       "st.shared.b64 [$s], $a; cvt.u64.u32 %wide, $s; $I %wide, %wide; "
       "ld.b64 $d, [%wide];"},
      {"cvta.local.u64", "b64=b64", same,
       "st.local.b64 [local], $a; mov.u64 %wide, local; $I %wide, %wide; "
       "ld.b64 $d, [%wide];"},
      {"cvta.const.u64", "b64=", known,
       "mov.u64 %wide, bytes; $I %wide, %wide; ld.b64 $d, [%wide];"},
      {"cvta{.param,.param::entry}.u64", "b64=", known,
       "mov.u64 %wide, p_bytes; $I %wide, %wide; ld.b64 $d, [%wide];"},
      {"cvta.to.global.u64", "b64=b64", same,
       "st.b64 [$m], $a; $I %wide, $m; ld.global.b64 $d, [%wide];"},
      {"cvta.to{.shared,.shared::cta,.shared::cluster}.u64", "b64=b64", same,
       "st.shared.b64 [$s], $a; cvt.u64.u32 %wide, $s; "
       "cvta.shared.u64 %wide, %wide; $I %wide, %wide; "
       "ld.shared.b64 $d, [%wide];"},
      {"cvta.to.local.u64", "b64=b64", same,
       "st.local.b64 [local], $a; cvta.local.u64 %wide, local; "
       "$I %wide, %wide; ld.local.b64 $d, [%wide];"},
      {"cvta.to.const.u64", "b64=", known,
       "cvta.const.u64 %wide, bytes; $I %wide, %wide; "
       "ld.const.b64 $d, [%wide];"},
      {"cvta.to{.param,.param::entry}.u64", "b64=", known,
       "mov.u64 %wide, p_bytes; cvta.param.u64 %wide, %wide; "
       "$I %wide, %wide; ld.param.b64 $d, [%wide];"},
      {"isspacep{.const,.global,.local,.param,.param::entry,.shared,"
       ".shared::cta,.shared::cluster}",
       "p=u32", inSpace,
       "rem.u32 %word, $a, 5; mov.u64 %wide, $m; setp.eq.u32 %c1, %word, 1; "
       "cvt.u64.u32 %other, $s; cvta.shared.u64 %other, %other; "
       "selp.b64 %wide, %other, %wide, %c1; setp.eq.u32 %c1, %word, 2; "
       "cvta.local.u64 %other, local; selp.b64 %wide, %other, %wide, %c1; "
       "setp.eq.u32 %c1, %word, 3; cvta.const.u64 %other, bytes; "
       "selp.b64 %wide, %other, %wide, %c1; setp.eq.u32 %c1, %word, 4; "
       "mov.u64 %other, p_bytes; cvta.param.u64 %other, %other; "
       "selp.b64 %wide, %other, %wide, %c1; $I $d, %wide;"},
      // Half an address is one with zeros above it, which is global here.
      {"isspacep{.const,.global,.local,.param,.param::entry,.shared,"
       ".shared::cta,.shared::cluster}",
       "p=u32", lowSpace, "$I $d, $a;"},
      // A cluster is one block, so addresses stay what they are.
      {"mapa{,.shared::cluster}.u32", "b32=b32", same,
       "st.shared.b32 [$s], $a; $I %word, $s, 0; ld.shared.b32 $d, [%word];"},
      {"mapa{,.shared::cluster}.u64", "b32=b32", same,
       "st.shared.b32 [$s], $a; cvt.u64.u32 %wide, $s; $I %wide, %wide, 0; "
       "ld.shared.b32 $d, [%wide];"},
      {"getctarank{,.shared::cluster}.u32", "u32=", zero, "$I $d, $s;"},
      {"getctarank{,.shared::cluster}.u64", "u32=", zero,
       "cvt.u64.u32 %wide, $s; $I $d, %wide;"},
      {"alloca.u64", "b64=b64", same,
       "$I %wide, 16; st.local.b64 [%wide], $a; ld.local.b64 $d, [%wide];"},
      {"alloca.u32", "b64=b64", same,
       "$I %word, 16; st.local.b64 [%word], $a; ld.local.b64 $d, [%word];"},
      {"stacksave.u64", "b64=b64", same,
       "$I %wide; alloca.u64 %other, 64; stackrestore.u64 %wide; "
       "mov.b64 $d, $a;"},
      {"stacksave.u32", "b64=b64", same,
       "$I %word; alloca.u32 %id, 64; stackrestore.u32 %word; mov.b64 $d, $a;"},
      {"stackrestore.u64", "b64=b64", same,
       "stacksave.u64 %wide; $I %wide; mov.b64 $d, $a;"},
      {"stackrestore.u32", "b64=b64", same,
       "stacksave.u32 %word; $I %word; mov.b64 $d, $a;"},

      // What must run and change nothing.
      {"prefetch{,.global}{.L1,.L2}", "b32=b32", same,
       "$I [$m]; mov.b32 $d, $a;"},
      {"prefetch.local{.L1,.L2}", "b32=b32", same,
       "$I [local]; mov.b32 $d, $a;"},
      {"prefetch.global{.L2::evict_last,.L2::evict_normal}", "b32=b32", same,
       "$I [$m]; mov.b32 $d, $a;"},
      {"prefetch{,.const,.param}.tensormap", "b32=b32", same,
       "$I [$m]; mov.b32 $d, $a;"},
      {"prefetchu.L1", "b32=b32", same, "$I [$m]; mov.b32 $d, $a;"},
      {"discard{,.global}.L2", "b32=b32", same,
       "$I [$m], 128; mov.b32 $d, $a;"},
      {"applypriority{,.global}.L2::evict_normal", "b32=b32", same,
       "$I [$m], 128; mov.b32 $d, $a;"},
      {"membar{.cta,.gl,.sys,.proxy.alias}", "b32=b32", same,
       "st.b32 [$m], $a; $I; ld.b32 $d, [$m];"},
      {"fence{,.sc,.acq_rel}{.cta,.cluster,.gpu,.sys}", "b32=b32", same,
       "st.b32 [$m], $a; $I; ld.b32 $d, [$m];"},
      {"fence{.mbarrier_init.release.cluster,.proxy.alias,.proxy.async,"
       ".proxy.async.global,.proxy.async.shared::cta,"
       ".proxy.async.shared::cluster}",
       "b32=b32", same, "st.b32 [$m], $a; $I; ld.b32 $d, [$m];"},
      {"createpolicy.fractional{.L2::evict_last,.L2::evict_normal,"
       ".L2::evict_first,.L2::evict_unchanged}{,.L2::evict_first,"
       ".L2::evict_unchanged}.b64",
       "b32=b32", same,
       "st.b32 [$m], $a; $I %wide, 0f3f800000; "
       "ld.global.L2::cache_hint.b32 $d, [$m], %wide;"},
      {"createpolicy.fractional.L2::evict_last{,.L2::evict_unchanged}.b64",
       "b32=b32", same,
       "st.b32 [$m], $a; $I %wide; "
       "ld.global.L2::cache_hint.b32 $d, [$m], %wide;"},
      {"createpolicy.range{,.global}{.L2::evict_last,.L2::evict_normal,"
       ".L2::evict_first,.L2::evict_unchanged}{,.L2::evict_first,"
       ".L2::evict_unchanged}.b64",
       "b32=b32", same,
       "st.b32 [$m], $a; $I %wide, [$m], 16, 32; "
       "ld.global.L2::cache_hint.b32 $d, [$m], %wide;"},
      {"createpolicy.cvt.L2.b64", "b32=b32", same,
       "st.b32 [$m], $a; $I %wide, 0; "
       "ld.global.L2::cache_hint.b32 $d, [$m], %wide;"},
      {"nanosleep.u32", "b32=b32", same, "$I 20; mov.b32 $d, $a;"},
      {"griddepcontrol{.launch_dependents,.wait}", "b32=b32", same,
       "$I; mov.b32 $d, $a;"},
      {"pmevent", "b32=b32", same, "$I 3; mov.b32 $d, $a;"},
      {"pmevent.mask", "b32=b32", same, "$I 7; mov.b32 $d, $a;"},
      {"setmaxnreg{.inc,.dec}.sync.aligned.u32", "b32=b32", same,
       "$I 64; mov.b32 $d, $a;"},
  };
  return Rows;
}
