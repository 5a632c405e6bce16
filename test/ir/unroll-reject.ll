; What unroll refuses, by message: a count out of bounds, and an instruction that
; closes no loop. The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (unroll i4 1 times) of 'once' does not apply: a loop is unrolled 2 to 32 times, not 1; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (unroll i4 33 times) of 'often' does not apply: a loop is unrolled 2 to 32 times, not 33; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (unroll i0 4 times) of 'entry' does not apply: i0 does not close a loop; the function is left as it was. Remove the edit
; CHECK: edits.json:5:1: edit 1 (unroll i2 4 times) of 'body' does not apply: i2 does not close a loop; the function is left as it was. Remove the edit

;--- edits.txt
@once {"kind": "unroll", "at": "i4", "count": 1}
@often {"kind": "unroll", "at": "i4", "count": 33}
@entry {"kind": "unroll", "at": "i0", "count": 4}
@body {"kind": "unroll", "at": "i2", "count": 4}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @once(ptr %p, float %x) #0 {
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

define void @often(ptr %p, float %x) #0 {
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

define void @entry(ptr %p, float %x) #0 {
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

define void @body(ptr %p, float %x) #0 {
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
