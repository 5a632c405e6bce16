; What branch refuses, by message: an instruction that is no conditional branch, and a
; way that is neither "true" nor "false". The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (branch i0 true) of 'no_branch' does not apply: i0 is not a conditional branch; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (branch i0 true) of 'unconditional' does not apply: i0 is not a conditional branch; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (branch i4 left) of 'way' does not apply: a branch takes "true" or "false", not 'left'; the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 2 (branch i4 false) of 'again' does not apply: i4 is not a conditional branch; the function is left as it was. Remove the edit

;--- edits.txt
@no_branch {"kind": "branch", "at": "i0", "take": "true"}
@unconditional {"kind": "branch", "at": "i0", "take": "true"}
@way {"kind": "branch", "at": "i4", "take": "left"}
@again {"kind": "branch", "at": "i4", "take": "false"}
@again {"kind": "branch", "at": "i4", "take": "false"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @no_branch(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @unconditional(ptr %p, float %x) #0 {
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

define void @way(ptr %p, float %x) #0 {
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

define void @again(ptr %p, float %x) #0 {
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
