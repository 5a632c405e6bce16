; Memory that only feeds memory nobody reads is dead: a reduction in shared memory, a
; histogram of atomics, two arrays that are filled from each other, a choice between two
; arrays, and an array that decides a branch around dead stores. What is live by one
; reader only stays, and so does everything that writes where others can see it.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-NOT:   @tile
; CHECK-NOT:   @bins
; CHECK:       @live

; CHECK-LABEL: define void @reduction(
; CHECK-NOT:     load
; CHECK-NOT:     store
; CHECK:         call void @llvm.nvvm.barrier0()
; CHECK-NOT:     load
; CHECK-NOT:     store

; CHECK-LABEL: define void @histogram(
; CHECK-NEXT:    store i32 7, ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @exchange(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @choice(
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @decides(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    ret void

; CHECK-LABEL: define void @read_once(
; CHECK:         store float %x, ptr addrspace(3)
; CHECK:         atomicrmw fadd ptr addrspace(3) @live
; CHECK:         store float %{{.*}}, ptr %p

; CHECK-LABEL: define void @elsewhere(
; CHECK-NEXT:    alloca
; CHECK-NEXT:    select
; CHECK-NEXT:    getelementptr
; CHECK-NEXT:    store i32 1, ptr
; CHECK-NEXT:    ret void

;--- edits.txt
@reduction {"kind": "delete", "at": "i(store float %s)"}
@histogram {"kind": "delete", "at": "i(store i32 %v)"}
@exchange {"kind": "delete", "at": "i(store i32 %r)"}
@choice {"kind": "delete", "at": "i(store i32 %v)"}
@decides {"kind": "delete", "at": "i(store i32 %v)"}
@read_once {"kind": "delete", "at": "i(store float 2.0)"}
@elsewhere {"kind": "delete", "at": "i(store i32 2)"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { mustprogress "target-cpu"="sm_70" }

@tile = internal addrspace(3) global [256 x float] undef
@bins = internal addrspace(3) global [32 x i32] undef
@live = internal addrspace(3) global [2 x float] undef

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()

define void @reduction(ptr %p, float %x) #0 {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr [256 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %t
  store float %x, ptr %own
  br label %loop
loop:
  %k = phi i32 [ 128, %entry ], [ %half, %next ]
  %active = icmp ult i32 %t, %k
  br i1 %active, label %add, label %next
add:
  %u = add i32 %t, %k
  %other = getelementptr [256 x float], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 0, i32 %u
  %a = load float, ptr %own
  %b = load float, ptr %other
  %c = fadd float %a, %b
  store float %c, ptr %own
  br label %next
next:
  call void @llvm.nvvm.barrier0()
  %half = lshr i32 %k, 1
  %more = icmp ugt i32 %k, 1
  br i1 %more, label %loop, label %done
done:
  %s = load float, ptr addrspacecast (ptr addrspace(3) @tile to ptr)
  store float %s, ptr %p
  ret void
}

define void @histogram(ptr %p, i32 %i) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr [32 x i32], ptr addrspace(3) @bins, i32 0, i32 %t
  store i32 0, ptr addrspace(3) %own
  %bin = getelementptr [32 x i32], ptr addrspace(3) @bins, i32 0, i32 %i
  %before = atomicrmw add ptr addrspace(3) %bin, i32 1 seq_cst
  %slot = getelementptr [32 x i32], ptr addrspace(3) @bins, i32 0, i32 %before
  %swapped = cmpxchg ptr addrspace(3) %slot, i32 %before, i32 %i seq_cst seq_cst
  store i32 7, ptr %p
  %v = load i32, ptr addrspace(3) %own
  %q = getelementptr i32, ptr %p, i32 1
  store i32 %v, ptr %q
  ret void
}

define void @exchange(ptr %p, i32 %n) #0 {
entry:
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  store i32 %n, ptr %a
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw i32 %i, 1
  %from = getelementptr i32, ptr %a, i32 %i
  %x = load i32, ptr %from
  %to = getelementptr i32, ptr %b, i32 %i
  store i32 %x, ptr %to
  %y = load i32, ptr %to
  %back = getelementptr i32, ptr %a, i32 %next
  store i32 %y, ptr %back
  %more = icmp ult i32 %next, 7
  br i1 %more, label %loop, label %done
done:
  %last = getelementptr i32, ptr %a, i32 %n
  %r = load i32, ptr %last
  store i32 %r, ptr %p
  ret void
}

define void @choice(ptr %p, i1 %c, i32 %n) #0 {
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %chosen = select i1 %c, ptr %a, ptr %b
  %cell = getelementptr i32, ptr %chosen, i32 %n
  store i32 %n, ptr %cell
  %own = getelementptr i32, ptr %a, i32 %n
  %v = load i32, ptr %own
  store i32 %v, ptr %p
  ret void
}

define void @decides(ptr %p, i32 %n) #0 {
entry:
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %x = getelementptr i32, ptr %a, i32 %n
  store i32 %n, ptr %x
  %y = load i32, ptr %a
  %c = icmp eq i32 %y, 0
  br i1 %c, label %then, label %done
then:
  %z = getelementptr i32, ptr %b, i32 %n
  store i32 %n, ptr %z
  br label %done
done:
  %v = load i32, ptr %b
  store i32 %v, ptr %p
  ret void
}

define void @read_once(ptr %p, float %x) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr [2 x float], ptr addrspace(3) @live, i32 0, i32 %t
  store float %x, ptr addrspace(3) %own
  %old = atomicrmw fadd ptr addrspace(3) @live, float %x seq_cst
  %v = load float, ptr addrspace(3) %own
  store float %v, ptr %p
  %q = getelementptr float, ptr %p, i32 1
  store float 2.0, ptr %q
  ret void
}

define void @elsewhere(ptr %p, i1 %c, i32 %n) #0 {
  %a = alloca [8 x i32]
  %chosen = select i1 %c, ptr %a, ptr %p
  %cell = getelementptr i32, ptr %chosen, i32 %n
  store i32 1, ptr %cell
  %q = getelementptr i32, ptr %p, i32 1
  store i32 2, ptr %q
  ret void
}
