; What every kind refuses when an edit names what is not there: anchors that the
; function never had, arguments in place of instructions, clones that no earlier edit
; makes, instructions that an earlier edit removed; and texts that are no constants.
; The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (delete i99) of 'missing' does not apply: the function has no i99; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (delete a0) of 'argument' does not apply: a0 is an argument, not an instruction; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (delete cabc) of 'clone' does not apply: no edit before it in this set makes cabc; the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 2 (delete i2) of 'removed' does not apply: i2 was removed by an earlier edit; the function is left as it was. Remove the edit
; CHECK: edits.json:7:1: edit 1 (move i1 before i77) of 'place' does not apply: the function has no i77; the function is left as it was. Remove the edit
; CHECK: edits.json:8:1: edit 1 (delete i0) of 'value' does not apply: there is no value a5 here; the function is left as it was. Remove the edit
; CHECK: edits.json:10:1: edit 2 (operand i1.0 = i0) of 'removed_value' does not apply: the value i0 was removed by an earlier edit; the function is left as it was. Remove the edit
; CHECK: edits.json:11:1: edit 1 (delete i0) of 'global' does not apply: 'float @missing' is not a constant that an edit may use; the function is left as it was. Remove the edit
; CHECK: edits.json:12:1: edit 1 (delete i0) of 'nonsense' does not apply: 'float nonsense' is not a constant: expected value token; the function is left as it was. Remove the edit
; CHECK: edits.json:13:1: edit 1 (delete i0) of 'trailing' does not apply: 'float 1.0 float 2.0' is not a constant: expected end of string; the function is left as it was. Remove the edit

;--- edits.txt
@missing {"kind": "delete", "at": "i99"}
@argument {"kind": "delete", "at": "a0"}
@clone {"kind": "delete", "at": "cabc"}
@removed {"kind": "delete", "at": "i2"}
@removed {"kind": "delete", "at": "i2"}
@place {"kind": "move", "at": "i1", "before": "i77"}
@value {"kind": "delete", "at": "i0", "uses": "a5"}
@removed_value {"kind": "delete", "at": "i0", "uses": "a1"}
@removed_value {"kind": "operand", "at": "i1", "operand": 0, "value": "i0"}
@global {"kind": "delete", "at": "i0", "uses": "float @missing"}
@nonsense {"kind": "delete", "at": "i0", "uses": "float nonsense"}
@trailing {"kind": "delete", "at": "i0", "uses": "float 1.0 float 2.0"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @missing(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @argument(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @clone(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @removed(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @place(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @value(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @removed_value(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @global(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @nonsense(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @trailing(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}
