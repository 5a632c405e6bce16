; Some passes visit uses in the order of the use list, which differs between a module
; that was compiled, read or cloned. The clean-up leaves the same function, use lists
; included, whatever that order was before.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: opt -preserve-ll-uselistorder -S %t/kernel.ll -o %t/a.ll
; RUN: sed -e 's/; reorder//' %t/kernel.ll > %t/reordered.ll
; RUN: opt -preserve-ll-uselistorder -S %t/reordered.ll -o %t/b.ll
; RUN: grep -v ModuleID %t/a.ll > %t/a
; RUN: grep -v ModuleID %t/b.ll > %t/b
; RUN: not cmp %t/a %t/b
; RUN: %opt_gevo -passes='gevo-replay<strict;edits=%t/edits.json>' -preserve-ll-uselistorder -S %t/kernel.ll -o %t/c.ll
; RUN: %opt_gevo -passes='gevo-replay<strict;edits=%t/edits.json>' -preserve-ll-uselistorder -S %t/reordered.ll -o %t/d.ll
; RUN: grep -v ModuleID %t/c.ll > %t/c
; RUN: grep -v ModuleID %t/d.ll > %t/d
; RUN: cmp %t/c %t/d
; RUN: FileCheck %s < %t/c

; CHECK: store i32 %x, ptr %p

;--- edits.txt
@ordered {"kind": "operand", "at": "i2", "operand": 0, "value": "a1"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"

define i32 @ordered(ptr %p, i32 %x) "target-cpu"="sm_70" {
  %a = mul i32 %x, 3
  %b = xor i32 %x, 5
  store i32 %a, ptr %p
  %c = add i32 %b, %x
  ret i32 %c
  ; reorder uselistorder i32 %x, { 2, 0, 1 }
}
