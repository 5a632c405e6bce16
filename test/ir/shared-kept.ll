; Shared memory stays when a function without edits reads it, when its stores are
; volatile, or when its address goes elsewhere: only what nobody can see is dead.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define void @writes(
; CHECK-NEXT:    store float %x, ptr addrspace(3) @read_elsewhere
; CHECK-NEXT:    ret void
; CHECK-LABEL: define void @volatile(
; CHECK-NEXT:    store volatile float %x, ptr addrspace(3) @volatile_cell
; CHECK-NEXT:    ret void
; CHECK-LABEL: define void @escapes(
; CHECK-NEXT:    store float %x, ptr addrspace(3) @escaped
; CHECK-NEXT:    call void @outside(ptr addrspace(3) @escaped)
; CHECK-NEXT:    ret void

;--- edits.txt
@writes {"kind": "delete", "at": "i1"}
@volatile {"kind": "delete", "at": "i1"}
@escapes {"kind": "delete", "at": "i2"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

@read_elsewhere = internal addrspace(3) global float undef
@volatile_cell = internal addrspace(3) global float undef
@escaped = internal addrspace(3) global float undef
define void @writes(ptr %p, float %x) #0 {
  store float %x, ptr addrspace(3) @read_elsewhere
  store float %x, ptr %p
  ret void
}
define float @reads() #0 {
  %v = load float, ptr addrspace(3) @read_elsewhere
  ret float %v
}
define void @volatile(ptr %p, float %x) #0 {
  store volatile float %x, ptr addrspace(3) @volatile_cell
  store float %x, ptr %p
  ret void
}
declare void @outside(ptr addrspace(3))
define void @escapes(ptr %p, float %x) #0 {
  store float %x, ptr addrspace(3) @escaped
  call void @outside(ptr addrspace(3) @escaped)
  store float %x, ptr %p
  ret void
}
