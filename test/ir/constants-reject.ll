; Constants that an edit may not use, by message: of a type that would fill the
; memory if it were made, expressions, and texts that are no constants at all. The
; functions stay as they were.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: of 'huge' does not apply: '<4000000000 x i64> splat (i64 1)' has type <4000000000 x i64>, and i32 is wanted;
; CHECK: of 'expression' does not apply: 'i32 trunc (i64 1 to i32)' is an expression, and a literal is wanted;
; CHECK: of 'width' does not apply: 'i99999999 0' is not a constant: expected type;
; CHECK: of 'garbage' does not apply: 'i32 seven' is not a constant: expected value token;
; CHECK: of 'global' does not apply: 'ptr @huge' is not a constant that an edit may use;

;--- edits.txt
@huge {"kind": "operand", "at": "i0", "operand": 0, "value": "<4000000000 x i64> splat (i64 1)"}
@expression {"kind": "operand", "at": "i0", "operand": 0, "value": "i32 trunc (i64 1 to i32)"}
@width {"kind": "operand", "at": "i0", "operand": 0, "value": "i99999999 0"}
@garbage {"kind": "operand", "at": "i0", "operand": 0, "value": "i32 seven"}
@global {"kind": "operand", "at": "i0", "operand": 0, "value": "ptr @huge"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @huge(ptr %p, i32 %x) #0 {
  %a = add i32 %x, 1
  store i32 %a, ptr %p
  ret void
}

define void @expression(ptr %p, i32 %x) #0 {
  %a = add i32 %x, 1
  store i32 %a, ptr %p
  ret void
}

define void @width(ptr %p, i32 %x) #0 {
  %a = add i32 %x, 1
  store i32 %a, ptr %p
  ret void
}

define void @garbage(ptr %p, i32 %x) #0 {
  %a = add i32 %x, 1
  store i32 %a, ptr %p
  ret void
}

define void @global(ptr %p, i32 %x) #0 {
  %a = add i32 %x, 1
  store i32 %a, ptr %p
  ret void
}
