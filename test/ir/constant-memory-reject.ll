; A write that the edits turn on constant memory, which the verifier accepts and the
; code generator does not, is refused: the message names the edit that does it,
; here the second of three, and the function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edit 2 (operand i2.1 = i0) of 'stored' does not apply: its store i32 would write to constant memory; the function is left as it was. Remove the edit
; CHECK: edit 1 (operand i2.0 = i0) of 'counted' does not apply: its atomicrmw i32 would write to constant memory; the function is left as it was. Remove the edit

;--- edits.txt
@stored {"kind": "operand", "at": "i1", "operand": 1, "value": "i32 7"}
@stored {"kind": "operand", "at": "i2", "operand": 1, "value": "i0"}
@stored {"kind": "operand", "at": "i1", "operand": 1, "value": "i32 9"}
@counted {"kind": "operand", "at": "i2", "operand": 0, "value": "i0"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

@table = addrspace(4) constant [4 x i32] zeroinitializer

define void @stored(ptr %p, i32 %x) #0 {
  %t = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @table to ptr), i32 %x
  %v = add i32 %x, 1
  store i32 %v, ptr %p
  %r = load i32, ptr %t
  store i32 %r, ptr %p
  ret void
}

define void @counted(ptr %p, i32 %x) #0 {
  %t = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @table to ptr), i32 %x
  %r = load i32, ptr %t
  %old = atomicrmw add ptr %p, i32 %r seq_cst
  ret void
}
