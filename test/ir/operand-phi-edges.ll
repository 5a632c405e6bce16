; A block that comes to a phi by several edges brings one value: the operand edit
; of one entry changes the entries of all its edges, and the result verifies.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<strict;edits=%t/edits.json>' -S %t/kernel.ll | FileCheck %s

; CHECK: %v = phi i32 [ %high, %entry ], [ %high, %entry ], [ %product, %other ]

;--- edits.txt
@shared {"kind": "operand", "at": "i3", "operand": 1, "value": "a2"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

declare i32 @f(i32)

define i32 @shared(i32 %x, i32 %low, i32 %high) #0 {
entry:
  switch i32 %x, label %other [
    i32 1, label %done
    i32 5, label %done
  ]
other:
  %product = call i32 @f(i32 %x)
  br label %done
done:
  %v = phi i32 [ %low, %entry ], [ %low, %entry ], [ %product, %other ]
  ret i32 %v
}
