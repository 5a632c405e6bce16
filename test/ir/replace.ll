; replace puts a clone of one instruction in the place of another. A clone of the
; same type takes over the uses; of another type, the uses get the value that the
; edit names and the clone goes into the operand that it names.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define void @same(
; CHECK-NEXT:    [[SUM:%.*]] = fadd float %x, %y
; CHECK-NEXT:    [[DIFFERENCE:%.*]] = fsub float [[SUM]], [[SUM]]
; CHECK-NEXT:    store float [[DIFFERENCE]], ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @lost(
; CHECK-NEXT:    [[CLONE:%.*]] = fsub float %x, %y
; CHECK-NEXT:    [[B:%.*]] = fmul float [[CLONE]], [[CLONE]]
; CHECK-NEXT:    [[C:%.*]] = fsub float [[B]], [[CLONE]]
; CHECK-NEXT:    store float [[C]], ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @other(
; CHECK-NEXT:    [[CLONE:%.*]] = mul i32 %n, 3
; CHECK-NEXT:    store float 2.0{{.*}}, ptr %p
; CHECK-NEXT:    store i32 [[CLONE]], ptr %q
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @effect(
; CHECK-NEXT:    store volatile float %x, ptr %p
; CHECK-NEXT:    store volatile float %x, ptr %p
; CHECK-NEXT:    store float %x, ptr %q
; CHECK-NEXT:    ret void

;--- edits.txt
@same {"kind": "replace", "at": "i1", "by": "i0", "as": "c1"}
@lost {"kind": "replace", "at": "i0", "by": "i2", "as": "c1", "operands": {"0": "a1", "1": "a2"}}
@other {"kind": "replace", "at": "i0", "by": "i2", "as": "c1", "uses": "float 1.000000e+00", "into": {"at": "i5", "operand": 0}}
@effect {"kind": "replace", "at": "i0", "by": "i1", "as": "c1"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

declare void @llvm.nvvm.barrier0()
define void @same(ptr %p, float %x, float %y) #0 {
  %sum = fadd float %x, %y
  %product = fmul float %x, %y
  %difference = fsub float %sum, %product
  store float %difference, ptr %p
  ret void
}

define void @lost(ptr %p, float %x, float %y) #0 {
  %a = fadd float %x, %y
  %b = fmul float %a, %a
  %c = fsub float %b, %a
  store float %c, ptr %p
  ret void
}

define void @other(ptr %p, ptr %q, i32 %n) #0 {
  %v = load float, ptr %p
  %w = fadd float %v, 1.0
  %m = mul i32 %n, 3
  store float %w, ptr %p
  %k = add i32 %m, %n
  store i32 %k, ptr %q
  ret void
}

define void @effect(ptr %p, ptr %q, float %x) #0 {
  call void @llvm.nvvm.barrier0()
  store volatile float %x, ptr %p
  store float %x, ptr %q
  ret void
}
