; What restrict refuses, by message: what is neither a load nor a store, and accesses
; that go through no pointer argument: local and shared memory, a pointer that was
; loaded, and a copy that the callee owns. The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (restrict i0) of 'neither' does not apply: i0 is neither a load nor a store; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (restrict i1) of 'local' does not apply: i1 does not go through a pointer argument; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (restrict i0) of 'shared' does not apply: i0 does not go through a pointer argument; the function is left as it was. Remove the edit
; CHECK: edits.json:5:1: edit 1 (restrict i1) of 'loaded' does not apply: i1 does not go through a pointer argument; the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 1 (restrict i0) of 'copy' does not apply: i0 does not go through a pointer argument; the function is left as it was. Remove the edit

;--- edits.txt
@neither {"kind": "restrict", "at": "i0"}
@local {"kind": "restrict", "at": "i1"}
@shared {"kind": "restrict", "at": "i0"}
@loaded {"kind": "restrict", "at": "i1"}
@copy {"kind": "restrict", "at": "i0"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

@tile = internal addrspace(3) global [32 x i32] undef, align 4

define void @neither(ptr %p, i32 %x) #0 {
  %y = add i32 %x, 1
  store i32 %y, ptr %p, align 4
  ret void
}

define void @local(ptr %p) #0 {
  %a = alloca i32, align 4
  store volatile i32 1, ptr %a, align 4
  ret void
}

define void @shared(ptr %p) #0 {
  store volatile i32 1, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 4
  ret void
}

define void @loaded(ptr %p) #0 {
  %q = load ptr, ptr %p, align 8
  store i32 1, ptr %q, align 4
  ret void
}

define void @copy(ptr byval(i32) align 4 %p, ptr %out) #0 {
  %x = load i32, ptr %p, align 4
  store i32 %x, ptr %out, align 4
  ret void
}
