; move takes an instruction to another place. Operands that are not defined there,
; and uses that come before it now, get the values that the edit names.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define void @later(
; CHECK-NEXT:    store float 1.0{{.*}}, ptr %q
; CHECK-NEXT:    call void @llvm.nvvm.barrier0()
; CHECK-NEXT:    [[V:%.*]] = load float, ptr %p
; CHECK-NEXT:    store float [[V]], ptr %r
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @earlier(
; CHECK-NEXT:    [[B:%.*]] = fmul float %x, %x
; CHECK-NEXT:    [[A:%.*]] = fadd float %x, 1.0
; CHECK-NEXT:    [[C:%.*]] = fsub float [[B]], [[A]]
; CHECK-NEXT:    store float [[C]], ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @uses(
; CHECK-NEXT:    store float 0.0{{.*}}, ptr %q
; CHECK-NEXT:    [[V:%.*]] = load float, ptr %p
; CHECK-NEXT:    [[W:%.*]] = fadd float [[V]], 1.0
; CHECK-NEXT:    store float [[W]], ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @into_loop(
; CHECK:       loop:
; CHECK-NEXT:    phi i32
; CHECK-NEXT:    [[V:%.*]] = load float, ptr %p
; CHECK-NEXT:    store float [[V]], ptr %q

;--- edits.txt
@later {"kind": "move", "at": "i0", "before": "i3"}
@earlier {"kind": "move", "at": "i1", "before": "i0", "operands": {"0": "a1", "1": "a1"}}
@uses {"kind": "move", "at": "i0", "before": "i2", "uses": "float 0.000000e+00"}
@into_loop {"kind": "move", "at": "i0", "before": "i3"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

declare void @llvm.nvvm.barrier0()
define void @later(ptr %p, ptr %q, ptr %r) #0 {
  %v = load float, ptr %p
  store float 1.0, ptr %q
  call void @llvm.nvvm.barrier0()
  store float %v, ptr %r
  ret void
}

define void @earlier(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, %a
  %c = fsub float %b, %a
  store float %c, ptr %p
  ret void
}

define void @uses(ptr %p, ptr %q) #0 {
  %v = load float, ptr %p
  store float %v, ptr %q
  %w = fadd float %v, 1.0
  store float %w, ptr %p
  ret void
}

define void @into_loop(ptr %p, ptr %q, i32 %n) #0 {
entry:
  %v = load float, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store float %v, ptr %q
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
