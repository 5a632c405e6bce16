; What delete refuses, by message: a phi, a terminator, a musttail call; a value that
; is used when the edit names no substitute, itself, or one that is not defined
; there; a use that can take no other value. The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (delete i1) of 'phi' does not apply: i1 (phi i32) cannot be deleted; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (delete i3) of 'terminator' does not apply: i3 (ret) cannot be deleted; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (delete i0) of 'tail' does not apply: i0 (call void @tail) cannot be deleted; the function is left as it was. Remove the edit
; CHECK: edits.json:5:1: edit 1 (delete i0) of 'used' does not apply: i0 has uses that lose their value, and the edit names no substitute: give it "uses" ("with_uses" for the partner of a swap); the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 1 (delete i0) of 'itself' does not apply: i0 cannot take its own place; the function is left as it was. Remove the edit
; CHECK: edits.json:7:1: edit 1 (delete i0) of 'later' does not apply: i1 would use itself; the function is left as it was. Remove the edit
; CHECK: edits.json:8:1: edit 1 (delete i0) of 'undefined' does not apply: operand 0 of i1 (i2) is not defined where it stands now; the function is left as it was. Remove the edit
; CHECK: edits.json:9:1: edit 1 (delete i1) of 'aggregate' does not apply: operand 0 of i2 cannot be replaced; the function is left as it was. Remove the edit

;--- edits.txt
@phi {"kind": "delete", "at": "i1", "uses": "i32 0"}
@terminator {"kind": "delete", "at": "i3"}
@tail {"kind": "delete", "at": "i0"}
@used {"kind": "delete", "at": "i0"}
@itself {"kind": "delete", "at": "i0", "uses": "i0"}
@later {"kind": "delete", "at": "i0", "uses": "i1"}
@undefined {"kind": "delete", "at": "i0", "uses": "i2"}
@aggregate {"kind": "delete", "at": "i1", "uses": "i0"}
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

define void @terminator(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @tail(ptr %p, float %x) #0 {
  musttail call void @tail(ptr %p, float %x)
  ret void
}

define void @used(ptr %p, float %x) #0 {
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

define void @later(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @undefined(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  store float %a, ptr %p
  %b = fadd float %x, 2.0
  store float %b, ptr %p
  ret void
}

declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
define void @aggregate(ptr %p, i32 %n) #0 {
  %pair = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %n, i32 %n)
  %other = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %n, i32 1)
  %sum = extractvalue { i32, i1 } %other, 0
  store i32 %sum, ptr %p
  ret void
}
