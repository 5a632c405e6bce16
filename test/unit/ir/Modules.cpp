//===- Modules.cpp - Device modules for the unit tests --------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texts; see the header.
//
//===----------------------------------------------------------------------===//

#include "test/unit/ir/Modules.h"

#define GEVO_TEST_HEAD                                                         \
  "source_filename = \"kernel.cu\"\n"                                          \
  "target datalayout = "                                                       \
  "\"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"                            \
  "target triple = \"nvptx64-nvidia-cuda\"\n"                                  \
  "attributes #0 = { \"target-cpu\"=\"sm_70\" }\n"

const char gevo::LoopModule[] = GEVO_TEST_HEAD R"(
define void @loop(ptr %p, ptr %q, i32 %n, float %x) #0 {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %total, %latch ]
  %from = getelementptr float, ptr %p, i32 %i
  %v = load float, ptr %from, align 4
  %big = fcmp ogt float %v, %x
  br i1 %big, label %then, label %latch
then:
  %scaled = fdiv float %v, %x
  br label %latch
latch:
  %add = phi float [ %v, %loop ], [ %scaled, %then ]
  %total = fadd float %sum, %add
  %to = getelementptr float, ptr %q, i32 %i
  store float %total, ptr %to, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define i32 @straight(i32 %a, i32 %b, ptr %p) #0 {
  %s = add i32 %a, %b
  %m = mul i32 %s, %a
  %x = xor i32 %m, 255
  store i32 %x, ptr %p, align 4
  %y = sub i32 %x, %b
  ret i32 %y
}
)";

const char gevo::SharedModule[] = GEVO_TEST_HEAD R"(
@tile = internal addrspace(3) global [256 x float] undef, align 4
@table = internal addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0], align 4

define internal float @weight(i32 %i) #0 {
  %k = and i32 %i, 3
  %cell = getelementptr [4 x float], ptr addrspace(4) @table, i32 0, i32 %k
  %w = load float, ptr addrspace(4) %cell, align 4
  ret float %w
}

define void @shared(ptr %out, ptr %in) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %from = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %from, align 4
  %cell = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  store float %v, ptr addrspace(3) %cell, align 4
  call void @llvm.nvvm.barrier0()
  %n = xor i32 %t, 1
  %other = getelementptr [256 x float], ptr addrspace(3) @tile, i32 0, i32 %n
  %w = load float, ptr addrspace(3) %other, align 4
  %weight = call float @weight(i32 %t)
  %scaled = fmul float %w, %weight
  %root = call float @llvm.sqrt.f32(float %scaled)
  %to = getelementptr float, ptr %out, i32 %t
  store float %root, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare float @llvm.sqrt.f32(float)
!nvvm.annotations = !{!0}
!0 = !{ptr @shared, !"kernel", i32 1}
)";

const char gevo::MixedModule[] = GEVO_TEST_HEAD R"(
%struct.pair = type { float, i32 }

define i32 @mixed(ptr %p, i32 %n, <2 x float> %pair) #0 {
entry:
  %slot = alloca %struct.pair, align 4
  %second = getelementptr %struct.pair, ptr %slot, i32 0, i32 1
  store i32 %n, ptr %second, align 4
  %v = load <2 x float>, ptr %p, align 8
  %sum = fadd <2 x float> %v, %pair
  %first = extractelement <2 x float> %sum, i32 0
  %lane = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %old = atomicrmw add ptr %p, i32 %lane monotonic
  %checked = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %old, i32 %n)
  %value = extractvalue { i32, i1 } %checked, 0
  switch i32 %n, label %other [ i32 0, label %zero
                                i32 1, label %one ]
zero:
  br label %done
one:
  %narrow = fptosi float %first to i32
  br label %done
other:
  %back = load i32, ptr %second, align 4
  %pick = select i1 true, i32 %back, i32 %value
  br label %done
done:
  %r = phi i32 [ 7, %zero ], [ %narrow, %one ], [ %pick, %other ]
  ret i32 %r
}

define i32 @indirect(ptr %f, i32 %n) #0 {
  %a = call i32 %f(i32 %n)
  %b = call i32 %f(i32 %a)
  ret i32 %b
}

declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
)";
