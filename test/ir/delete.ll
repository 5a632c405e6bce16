; delete removes an instruction; its uses get the value that the edit names:
; an argument, an earlier instruction or a constant. What has no uses, such as a
; store or a barrier, needs none.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define void @uses(
; CHECK-NEXT:    [[SUM:%.*]] = fadd float %x, %y
; CHECK-NEXT:    store float [[SUM]], ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @constant(
; CHECK-NEXT:    store float 2.500000e+00, ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @effects(
; CHECK-NEXT:    store float %x, ptr %q
; CHECK-NEXT:    ret void

; A use that an earlier edit of the set made is one like any other.
; CHECK-LABEL: define void @chain(
; CHECK-NEXT:    store float %x, ptr %p
; CHECK-NEXT:    ret void

;--- edits.txt
@uses {"kind": "delete", "at": "i0", "uses": "a1"}
@uses {"kind": "delete", "at": "i2", "uses": "i1"}
@constant {"kind": "delete", "at": "i0", "uses": "float 2.500000e+00"}
@effects {"kind": "delete", "at": "i0"}
@effects {"kind": "delete", "at": "i1"}
@chain {"kind": "delete", "at": "i1", "uses": "i0"}
@chain {"kind": "delete", "at": "i0", "uses": "a1"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @uses(ptr %p, float %x, float %y) #0 {
  %product = fmul float %x, %y
  %sum = fadd float %product, %y
  %twice = fmul float %sum, 2.0
  store float %twice, ptr %p
  ret void
}

define void @constant(ptr %p, float %x) #0 {
  %square = fmul float %x, %x
  store float %square, ptr %p
  ret void
}

declare void @llvm.nvvm.barrier0()
define void @effects(ptr %p, ptr %q, float %x) #0 {
  store float %x, ptr %p
  call void @llvm.nvvm.barrier0()
  store float %x, ptr %q
  ret void
}

define void @chain(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fadd float %a, 2.0
  store float %b, ptr %p
  ret void
}
