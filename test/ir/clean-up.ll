; What edits made dead goes: the instructions that led to a deleted store, the
; unreachable block, stores that are overwritten, whole loops without effect, local
; arrays (one filled from the other) and shared memory that nobody reads with their
; stores, and internal functions and variables that lost their last use. What was
; dead or unused before the edit, in functions that have no edits, is not touched.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-NOT:   @tile
; CHECK-NOT:   @table
; CHECK:       @unused_before
; CHECK:       @kept

; CHECK-LABEL: define void @instructions(
; CHECK-NEXT:    store float %x, ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @stores(
; CHECK-NEXT:    store float 1.0{{.*}}, ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @loop(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @local(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @shared(
; CHECK-NEXT:    call void @llvm.nvvm.barrier0()
; CHECK-NEXT:    store float 1.0{{.*}}, ptr %p
; CHECK-NEXT:    ret void

; CHECK-NOT:   @work

; CHECK-LABEL: define void @callee(
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @blocks(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    store i32 %n, ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define internal void @dead_before()

; CHECK-LABEL: define void @untouched(
; CHECK-NEXT:    %dead = fadd float %x, 1.0
; CHECK-NEXT:    store float 0.0
; CHECK-NEXT:    store float %x, ptr %p
; CHECK-NEXT:    ret void

;--- edits.txt
@instructions {"kind": "delete", "at": "i3"}
@stores {"kind": "delete", "at": "i1", "uses": "float 0.000000e+00"}
@loop {"kind": "delete", "at": "i3"}
@local {"kind": "delete", "at": "i15"}
@shared {"kind": "delete", "at": "i6", "uses": "float 1.000000e+00"}
@callee {"kind": "delete", "at": "i0"}
@blocks {"kind": "branch", "at": "i0", "take": "false"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

@tile = internal addrspace(3) global [32 x float] undef
@table = internal addrspace(4) constant [2 x i32] [i32 1, i32 2]
@unused_before = internal addrspace(1) global i32 0
@kept = addrspace(1) global i32 0

define void @instructions(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, %a
  %q = getelementptr float, ptr %p, i32 1
  store float %b, ptr %q
  store float %x, ptr %p
  ret void
}

define void @stores(ptr %p, float %x) #0 {
  store float %x, ptr %p
  %v = load float, ptr %p
  %w = fadd float %v, 1.0
  store float %w, ptr %p
  ret void
}

define void @loop(ptr %p, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr float, ptr %p, i32 %i
  store float 1.0, ptr %q
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @local(ptr %p, i32 %n) #0 {
entry:
  %first = alloca [8 x float]
  %second = alloca [8 x float]
  call void @llvm.lifetime.start.p0(i64 32, ptr %first)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr float, ptr %p, i32 %i
  %x = load float, ptr %from
  %to = getelementptr float, ptr %first, i32 %i
  store float %x, ptr %to
  %next = add nuw i32 %i, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %loop, label %done
done:
  call void @llvm.memcpy.p0.p0.i64(ptr %second, ptr %first, i64 32, i1 false)
  %cell = getelementptr float, ptr %second, i32 %n
  %y = load float, ptr %cell
  store float %y, ptr %p
  call void @llvm.lifetime.end.p0(i64 32, ptr %first)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
define void @shared(ptr %p, float %x) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %cell = getelementptr [32 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  %y = fmul float %x, 3.0
  store float %y, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier0()
  %neighbour = xor i32 %t, 1
  %v = load float, ptr addrspace(3) @tile
  store float %v, ptr %p
  ret void
}

define internal void @work(ptr %p) #0 {
  %i = load i32, ptr addrspace(4) @table
  store i32 %i, ptr %p
  ret void
}

define void @callee(ptr %p) #0 {
  call void @work(ptr %p)
  ret void
}

define void @blocks(ptr %p, i1 %c, i32 %n) #0 {
entry:
  br i1 %c, label %then, label %else
then:
  %m = mul i32 %n, %n
  store i32 %m, ptr %p
  br label %done
else:
  store i32 %n, ptr %p
  br label %done
done:
  ret void
}

define internal void @dead_before() #0 {
  ret void
}

define void @untouched(ptr %p, float %x) #0 {
  %dead = fadd float %x, 1.0
  store float 0.0, ptr %p
  store float %x, ptr %p
  ret void
}
