; copy clones an instruction before another place and puts the clone's value into
; the operand that the edit names. Operands that are not defined at the new place
; get the value that the edit gives. A later edit can name the clone.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define void @effect(
; CHECK-NEXT:    call void @llvm.nvvm.barrier0()
; CHECK-NEXT:    store float %x, ptr %p
; CHECK-NEXT:    call void @llvm.nvvm.barrier0()
; CHECK-NEXT:    store float %x, ptr %q
; CHECK-NEXT:    ret void

; The load is not the same as the first: the store between may have changed it.
; CHECK-LABEL: define void @value(
; CHECK-NEXT:    [[OLD:%.*]] = load float, ptr %p
; CHECK-NEXT:    store float 1.0{{.*}}, ptr %q
; CHECK-NEXT:    [[NEW:%.*]] = load float, ptr %p
; CHECK-NEXT:    store float [[OLD]], ptr %p
; CHECK-NEXT:    store float [[NEW]], ptr %q
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @earlier(
; CHECK-NEXT:    [[CLONE:%.*]] = fmul float %y, 2.0
; CHECK-NEXT:    store float [[CLONE]], ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @clone(
; CHECK-NEXT:    [[CLONE:%.*]] = fadd float %x, 3.0
; CHECK-NEXT:    store float [[CLONE]], ptr %p
; CHECK-NEXT:    ret void

; What was deleted still is a place.
; CHECK-LABEL: define void @place(
; CHECK-NEXT:    call void @llvm.nvvm.barrier0()
; CHECK-NEXT:    call void @llvm.nvvm.barrier0()
; CHECK-NEXT:    store float %x, ptr %p
; CHECK-NEXT:    ret void

;--- edits.txt
@effect {"kind": "copy", "at": "i0", "before": "i2", "as": "c1"}
@value {"kind": "copy", "at": "i0", "before": "i2", "as": "c1", "into": {"at": "i3", "operand": 0}}
@earlier {"kind": "copy", "at": "i1", "before": "i0", "as": "c1", "operands": {"0": "a2"}, "into": {"at": "i2", "operand": 0}}
@clone {"kind": "copy", "at": "i0", "before": "i1", "as": "c1", "into": {"at": "i1", "operand": 0}}
@clone {"kind": "operand", "at": "c1", "operand": 1, "value": "float 3.000000e+00"}
@place {"kind": "delete", "at": "i1"}
@place {"kind": "copy", "at": "i0", "before": "i1", "as": "c1"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

declare void @llvm.nvvm.barrier0()
define void @effect(ptr %p, ptr %q, float %x) #0 {
  call void @llvm.nvvm.barrier0()
  store float %x, ptr %p
  store float %x, ptr %q
  ret void
}

define void @value(ptr %p, ptr %q) #0 {
  %v = load float, ptr %p
  store float 1.0, ptr %q
  store float %v, ptr %p
  store float 0.0, ptr %q
  ret void
}

define void @earlier(ptr %p, float %x, float %y) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @clone(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  store float %a, ptr %p
  ret void
}

define void @place(ptr %p, float %x) #0 {
  call void @llvm.nvvm.barrier0()
  store float 0.0, ptr %p
  store float %x, ptr %p
  ret void
}
