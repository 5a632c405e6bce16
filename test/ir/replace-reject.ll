; What replace refuses, by message: a target or a source that must stay alone, an
; instruction by itself, and uses of another type without a substitute. The function
; stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (replace i1 by i2) of 'target' does not apply: i1 (phi i32) cannot be replaced by i2 (add i32); the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (replace i2 by i1) of 'source' does not apply: i2 (add i32) cannot be replaced by i1 (phi i32); the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (replace i0 by i0) of 'itself' does not apply: i0 (fadd float) cannot be replaced by i0 (fadd float); the function is left as it was. Remove the edit
; CHECK: edits.json:5:1: edit 1 (replace i0 by i2) of 'uses' does not apply: i0 has uses that lose their value, and the edit names no substitute: give it "uses" ("with_uses" for the partner of a swap); the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 1 (replace i0 by i1) of 'circle' does not apply: operand 0 of the clone (i0) is not defined where it stands now; the function is left as it was. Remove the edit

;--- edits.txt
@target {"kind": "replace", "at": "i1", "by": "i2", "as": "c1"}
@source {"kind": "replace", "at": "i2", "by": "i1", "as": "c1"}
@itself {"kind": "replace", "at": "i0", "by": "i0", "as": "c1"}
@uses {"kind": "replace", "at": "i0", "by": "i2", "as": "c1", "operands": {"0": "a1"}}
@circle {"kind": "replace", "at": "i0", "by": "i1", "as": "c1"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @target(ptr %p, float %x) #0 {
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

define void @source(ptr %p, float %x) #0 {
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

define void @itself(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @uses(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @circle(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}
