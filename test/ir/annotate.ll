; gevo-annotate prints every function with its fingerprint, the anchors of its
; arguments, and the anchor of each instruction beside it; debug intrinsics get
; none. With function=, it prints that one alone. The module stays as it is.

; REQUIRES: plugin
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %s | FileCheck %s --check-prefixes=BOTH,KERNEL
; RUN: %opt_gevo -passes='gevo-annotate<function=kernel>' -disable-output %s \
; RUN:   | FileCheck %s --check-prefix=KERNEL --implicit-check-not=@second
; RUN: %opt_gevo -passes=gevo-annotate -S %s -o %t.ll > /dev/null
; RUN: opt -S %s -o - | cmp - %t.ll

; KERNEL:      ; fingerprint {{[0-9a-f]{32}$}}
; KERNEL-NEXT: ; a0 = ptr %p
; KERNEL-NEXT: ; a1 = i32 %n
; KERNEL-NEXT: define void @kernel(
; KERNEL-NEXT: entry:
; KERNEL-NEXT:   br label %loop{{ +}}; i0
; KERNEL:        %i = phi i32 [ 0, %entry ], [ %next, %loop ]{{ +}}; i1
; KERNEL:        store i32 %i, ptr %p, align 4{{ +}}; i2
; KERNEL-NEXT:   %next = add i32 %i, 1{{ +}}; i3
; KERNEL-NEXT:   %more = icmp ult i32 %next, %n{{ +}}; i4
; KERNEL-NEXT:   br i1 %more, label %loop, label %done{{ +}}; i5
; KERNEL:        ret void{{ +}}; i6
; BOTH:        define void @second(
; BOTH-NEXT:     ret void{{ +}}; i0

target triple = "nvptx64-nvidia-cuda"

define void @kernel(ptr %p, i32 %n) "target-cpu"="sm_70" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.pseudoprobe(i64 1, i64 1, i32 0, i64 -1)
  store i32 %i, ptr %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

declare void @llvm.pseudoprobe(i64, i64, i32, i64)

define void @second() {
  ret void
}
