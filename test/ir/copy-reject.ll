; What copy refuses, by message: an instruction that must stay single or at its
; place; a place before a phi; operands without a definition at the place; repairs
; of operands that are not there; a target that cannot take the clone; an anchor
; that is taken. The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (copy i0 before i2) of 'alloca' does not apply: i0 (alloca ptr) cannot be copied; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (copy i2 before i1) of 'phi' does not apply: nothing can be put before i1; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (copy i0 before i2) of 'tail' does not apply: nothing can be put before i2; the function is left as it was. Remove the edit
; CHECK: edits.json:5:1: edit 1 (copy i1 before i0) of 'undefined' does not apply: operand 0 of the clone (i0) is not defined where it stands now; the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 1 (copy i1 before i2) of 'repair' does not apply: there is no operand 2 to repair; the function is left as it was. Remove the edit
; CHECK: edits.json:7:1: edit 1 (copy i1 before i2) of 'type' does not apply: operand 1 of i2 cannot take the clone's value; the function is left as it was. Remove the edit
; CHECK: edits.json:8:1: edit 1 (copy i1 before i2) of 'number' does not apply: operand 7 of i2 cannot take the clone's value; the function is left as it was. Remove the edit
; CHECK: edits.json:9:1: edit 1 (copy i0 before i2) of 'before' does not apply: operand 0 of i1 (the clone) is not defined where it stands now; the function is left as it was. Remove the edit
; CHECK: edits.json:11:1: edit 2 (copy i0 before i2) of 'taken' does not apply: the anchor c1 is taken by an earlier edit; the function is left as it was. Remove the edit

;--- edits.txt
@alloca {"kind": "copy", "at": "i0", "before": "i2", "as": "c1"}
@phi {"kind": "copy", "at": "i2", "before": "i1", "as": "c1"}
@tail {"kind": "copy", "at": "i0", "before": "i2", "as": "c1"}
@undefined {"kind": "copy", "at": "i1", "before": "i0", "as": "c1"}
@repair {"kind": "copy", "at": "i1", "before": "i2", "as": "c1", "operands": {"2": "a1"}}
@type {"kind": "copy", "at": "i1", "before": "i2", "as": "c1", "into": {"at": "i2", "operand": 1}}
@number {"kind": "copy", "at": "i1", "before": "i2", "as": "c1", "into": {"at": "i2", "operand": 7}}
@before {"kind": "copy", "at": "i0", "before": "i2", "as": "c1", "into": {"at": "i1", "operand": 0}}
@taken {"kind": "copy", "at": "i0", "before": "i1", "as": "c1", "into": {"at": "i1", "operand": 0}}
@taken {"kind": "copy", "at": "i0", "before": "i2", "as": "c1", "into": {"at": "i2", "operand": 0}}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @alloca(ptr %p, float %x) #0 {
  %s = alloca float
  store float %x, ptr %s
  ret void
}

define void @phi(ptr %p, float %x) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 10
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @tail(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  musttail call void @tail(ptr %p, float %a)
  ret void
}

define void @undefined(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @repair(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @type(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @number(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @before(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @taken(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}
