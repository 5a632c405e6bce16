; What cache refuses, by message: what is not a plain load from global memory
; (another instruction; volatile, atomic or misaligned loads; shared and local memory;
; types without a register), an unknown policy, and the read-only cache for a pointer
; that may not be global. The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (cache i2 cg) of 'store' does not apply: i2 is not a plain load from global memory; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (cache i0 cg) of 'volatile' does not apply: i0 is not a plain load from global memory; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (cache i0 cg) of 'atomic' does not apply: i0 is not a plain load from global memory; the function is left as it was. Remove the edit
; CHECK: edits.json:5:1: edit 1 (cache i0 cg) of 'misaligned' does not apply: i0 is not a plain load from global memory; the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 1 (cache i1 cg) of 'shared' does not apply: i1 is not a plain load from global memory; the function is left as it was. Remove the edit
; CHECK: edits.json:7:1: edit 1 (cache i2 cg) of 'local' does not apply: i2 is not a plain load from global memory; the function is left as it was. Remove the edit
; CHECK: edits.json:8:1: edit 1 (cache i0 cg) of 'byte' does not apply: i0 is not a plain load from global memory; the function is left as it was. Remove the edit
; CHECK: edits.json:9:1: edit 1 (cache i0 ca) of 'policy' does not apply: there is no cache policy 'ca'; there are nc, cg, cs, lu, cv; the function is left as it was. Remove the edit
; CHECK: edits.json:10:1: edit 1 (cache i0 nc) of 'readonly' does not apply: i0 may read memory that is not global, which has no read-only cache; the function is left as it was. Remove the edit

;--- edits.txt
@store {"kind": "cache", "at": "i2", "policy": "cg"}
@volatile {"kind": "cache", "at": "i0", "policy": "cg"}
@atomic {"kind": "cache", "at": "i0", "policy": "cg"}
@misaligned {"kind": "cache", "at": "i0", "policy": "cg"}
@shared {"kind": "cache", "at": "i1", "policy": "cg"}
@local {"kind": "cache", "at": "i2", "policy": "cg"}
@byte {"kind": "cache", "at": "i0", "policy": "cg"}
@policy {"kind": "cache", "at": "i0", "policy": "ca"}
@readonly {"kind": "cache", "at": "i0", "policy": "nc"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @store(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @volatile(ptr %p, float %x) #0 {
  %v = load volatile float, ptr %p
  store float %v, ptr %p
  ret void
}

define void @atomic(ptr %p, float %x) #0 {
  %v = load atomic float, ptr %p monotonic, align 4
  store float %v, ptr %p
  ret void
}

define void @misaligned(ptr %p, float %x) #0 {
  %v = load float, ptr %p, align 1
  store float %v, ptr %p
  ret void
}

define void @shared(ptr %p, float %x) #0 {
  %s = addrspacecast ptr %p to ptr addrspace(3)
  %v = load float, ptr addrspace(3) %s
  store float %v, ptr %p
  ret void
}

define void @local(ptr %p, float %x) #0 {
  %s = alloca float
  store float %x, ptr %s
  %v = load float, ptr %s
  store float %v, ptr %p
  ret void
}

define void @byte(ptr %p, float %x) #0 {
  %v = load i8, ptr %p
  store i8 %v, ptr %p
  ret void
}

define void @policy(ptr %p, float %x) #0 {
  %v = load float, ptr %p
  store float %v, ptr %p
  ret void
}

define void @readonly(ptr %p, float %x) #0 {
  %v = load float, ptr %p
  store float %v, ptr %p
  ret void
}
