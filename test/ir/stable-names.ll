; With -fgpu-rdc clang ends the names of static kernels and variables in a hash
; of its command line. Edits follow the function under another hash.
; REQUIRES: plugin

; RUN: rm -rf %t && mkdir -p %t
; RUN: sed 's/HASH/0123456789abcdef/' %s > %t/a.ll
; RUN: sed 's/HASH/fedcba9876543210/' %s > %t/b.ll
; RUN: gevo-edits make %t/a.ll --function=scale -o %t/set.json "delete at=i1"
; RUN: gevo-edits show %t/set.json | FileCheck %s --check-prefix=NAME
; NAME: sm_70 scale(float*) in k.cu: 1 edit{{$}}
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/set.json;strict>' -S %t/b.ll | FileCheck %s
; CHECK: define void @_ZL5scalePf__intern__fedcba9876543210
; CHECK-NEXT: ret void

source_filename = "k.cu"
target triple = "nvptx64-nvidia-cuda"
@factor__static__HASH = addrspace(1) global float 2.0
define void @_ZL5scalePf__intern__HASH(ptr %p) "target-cpu"="sm_70" {
  %f = load float, ptr addrspace(1) @factor__static__HASH, align 4
  store float %f, ptr %p, align 4
  ret void
}
