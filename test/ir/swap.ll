; swap exchanges the places of two instructions, in one block or across blocks.
; Operands and uses of either that lose their definition get what the edit names.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define void @effects(
; CHECK-NEXT:    store volatile float %x, ptr %q
; CHECK-NEXT:    call void @llvm.nvvm.barrier0()
; CHECK-NEXT:    store volatile float %x, ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @values(
; CHECK-NEXT:    [[B:%.*]] = fmul float %x, 2.0
; CHECK-NEXT:    store float [[B]], ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @uses(
; CHECK-NEXT:    [[B:%.*]] = fmul float %x, 3.0
; CHECK-NEXT:    store volatile float %x, ptr %p
; CHECK-NEXT:    store volatile float [[B]], ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @across(
; CHECK:         store volatile float 2.0{{.*}}, ptr %q
; CHECK-NEXT:    br i1 %c
; CHECK:         store volatile float 1.0{{.*}}, ptr %p

;--- edits.txt
@effects {"kind": "swap", "at": "i0", "with": "i2"}
@values {"kind": "swap", "at": "i0", "with": "i1", "uses": "a2", "with_operands": {"0": "a1"}}
@uses {"kind": "swap", "at": "i0", "with": "i2", "operands": {"0": "float 2.000000e+00"}, "uses": "a1", "with_operands": {"0": "a1"}, "with_uses": "a2"}
@across {"kind": "swap", "at": "i0", "with": "i2"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

declare void @llvm.nvvm.barrier0()
define void @effects(ptr %p, ptr %q, float %x) #0 {
  store volatile float %x, ptr %p
  call void @llvm.nvvm.barrier0()
  store volatile float %x, ptr %q
  ret void
}

define void @values(ptr %p, float %x, float %y) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @uses(ptr %p, float %x, float %y) #0 {
  %a = fadd float %x, 1.0
  store volatile float %a, ptr %p
  %b = fmul float %a, 3.0
  store volatile float %b, ptr %p
  ret void
}

define void @across(ptr %p, ptr %q, i1 %c) #0 {
entry:
  store volatile float 1.0, ptr %p
  br i1 %c, label %then, label %done
then:
  store volatile float 2.0, ptr %q
  br label %done
done:
  ret void
}
