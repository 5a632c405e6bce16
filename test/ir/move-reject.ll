; What move refuses, by message: an instruction that must stay at its place, a place
; that is none, and operands or uses that lose their definition without a repair.
; The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (move i1 before i3) of 'phi' does not apply: i1 (phi i32) cannot be moved; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (move i2 before i1) of 'place' does not apply: i2 cannot be put before i1; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (move i0 before i0) of 'itself' does not apply: i0 cannot be put before i0; the function is left as it was. Remove the edit
; CHECK: edits.json:5:1: edit 1 (move i1 before i0) of 'operand' does not apply: operand 0 of i1 (i0) is not defined where it stands now; the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 1 (move i0 before i2) of 'uses' does not apply: i0 has uses that lose their value, and the edit names no substitute: give it "uses" ("with_uses" for the partner of a swap); the function is left as it was. Remove the edit

;--- edits.txt
@phi {"kind": "move", "at": "i1", "before": "i3"}
@place {"kind": "move", "at": "i2", "before": "i1"}
@itself {"kind": "move", "at": "i0", "before": "i0"}
@operand {"kind": "move", "at": "i1", "before": "i0"}
@uses {"kind": "move", "at": "i0", "before": "i2"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

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

define void @place(ptr %p, float %x) #0 {
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

define void @operand(ptr %p, float %x) #0 {
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
