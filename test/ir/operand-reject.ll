; What operand refuses, by message: an operand that is not there or cannot change (a
; struct index, an intrinsic's immediate, a read-only load's alignment, a label, a callee), and a value of another
; type, not defined there, or the instruction itself. The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (operand i0.2 = a1) of 'number' does not apply: i0 has no operand 2; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (operand i0.0 = i32 1) of 'type' does not apply: 'i32 1' has type i32, and float is wanted; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (operand i0.0 = i0) of 'itself' does not apply: i0 would use itself; the function is left as it was. Remove the edit
; CHECK: edits.json:5:1: edit 1 (operand i0.0 = i1) of 'undefined' does not apply: operand 0 of i0 (i1) is not defined where it stands now; the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 1 (operand i0.2 = i32 0) of 'field' does not apply: operand 2 of i0 cannot be replaced; the function is left as it was. Remove the edit
; CHECK: edits.json:7:1: edit 1 (operand i0.1 = a2) of 'immediate' does not apply: operand 1 of i0 cannot be replaced; the function is left as it was. Remove the edit
; CHECK: edits.json:8:1: edit 1 (operand i0.0 = a0) of 'label' does not apply: 'a0' has type ptr, and label is wanted; the function is left as it was. Remove the edit
; CHECK: edits.json:9:1: edit 1 (operand i0.0 = a0) of 'callee' does not apply: operand 0 of i0 cannot be replaced; the function is left as it was. Remove the edit
; CHECK: edits.json:10:1: edit 1 (operand i0.1 = a1) of 'alignment' does not apply: operand 1 of i0 cannot be replaced; the function is left as it was. Remove the edit

;--- edits.txt
@number {"kind": "operand", "at": "i0", "operand": 2, "value": "a1"}
@type {"kind": "operand", "at": "i0", "operand": 0, "value": "i32 1"}
@itself {"kind": "operand", "at": "i0", "operand": 0, "value": "i0"}
@undefined {"kind": "operand", "at": "i0", "operand": 0, "value": "i1"}
@field {"kind": "operand", "at": "i0", "operand": 2, "value": "i32 0"}
@immediate {"kind": "operand", "at": "i0", "operand": 1, "value": "a2"}
@label {"kind": "operand", "at": "i0", "operand": 0, "value": "a0"}
@callee {"kind": "operand", "at": "i0", "operand": 0, "value": "a0"}
@alignment {"kind": "operand", "at": "i0", "operand": 1, "value": "a1"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @number(ptr %p, float %x) #0 {
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

define void @itself(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @undefined(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @field(ptr %p, float %x) #0 {
  %f = getelementptr { float, float }, ptr %p, i32 0, i32 1
  store float %x, ptr %f
  ret void
}

declare i32 @llvm.abs.i32(i32, i1 immarg)
define void @immediate(ptr %p, i32 %n, i1 %c) #0 {
  %m = call i32 @llvm.abs.i32(i32 %n, i1 false)
  store i32 %m, ptr %p
  ret void
}

define void @label(ptr %p, float %x) #0 {
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

declare void @llvm.nvvm.barrier0()
define void @callee(ptr %p, float %x) #0 {
  call void @llvm.nvvm.barrier0()
  ret void
}

declare i32 @llvm.nvvm.ldg.global.i.i32.p0(ptr, i32)
define void @alignment(ptr %p, i32 %n) #0 {
  %v = call i32 @llvm.nvvm.ldg.global.i.i32.p0(ptr %p, i32 4)
  store i32 %v, ptr %p
  ret void
}
