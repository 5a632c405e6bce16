; cache changes the cache policy of a load. The read-only cache is an invariant
; load; the other policies are inline PTX. The PTX has the instruction that the
; policy names, for each type of value that a register can hold.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' %t/kernel.ll \
; RUN:   | llc -mcpu=sm_70 | FileCheck %s --check-prefix=PTX

; CHECK-LABEL: define void @kernel(
; CHECK:         load float, ptr addrspace(1) %{{.*}}, !invariant.load
; CHECK:         call float asm "ld.global.cg.f32 $0, [$1];", "=f,l"
; CHECK:         call float asm "ld.global.cs.f32 $0, [$1];", "=f,l"
; CHECK:         call float asm "ld.global.lu.f32 $0, [$1];", "=f,l"
; CHECK:         call float asm sideeffect "ld.global.cv.f32 $0, [$1];", "=f,l"

; A pointer of unknown space gets PTX's load without one.
; CHECK-LABEL: define void @generic(
; CHECK-NEXT:    call float asm "ld.cs.f32 $0, [$1];", "=f,l"(ptr %p)

; PTX-LABEL: .entry kernel(
; PTX:         ld.global.nc.f32
; PTX:         ld.global.cg.f32
; PTX:         ld.global.cs.f32
; PTX:         ld.global.lu.f32
; PTX:         ld.global.cv.f32
; PTX-LABEL: .func types(
; PTX:         ld.global.cg.f64
; PTX:         ld.global.cg.u32
; PTX:         ld.global.cg.u64
; PTX:         ld.global.cg.v2.f32 {
; PTX:         ld.global.cg.v4.u32 {

;--- edits.txt
@kernel {"kind": "cache", "at": "i0", "policy": "nc"}
@kernel {"kind": "cache", "at": "i2", "policy": "cg"}
@kernel {"kind": "cache", "at": "i4", "policy": "cs"}
@kernel {"kind": "cache", "at": "i6", "policy": "lu"}
@kernel {"kind": "cache", "at": "i8", "policy": "cv"}
@types {"kind": "cache", "at": "i0", "policy": "cg"}
@types {"kind": "cache", "at": "i2", "policy": "cg"}
@types {"kind": "cache", "at": "i4", "policy": "cg"}
@types {"kind": "cache", "at": "i6", "policy": "cg"}
@types {"kind": "cache", "at": "i8", "policy": "cg"}
@generic {"kind": "cache", "at": "i0", "policy": "cs"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @kernel(ptr %p, ptr %q) #0 {
  %a = load float, ptr %p
  store float %a, ptr %q
  %b = load float, ptr %p
  store float %b, ptr %q
  %c = load float, ptr %p
  store float %c, ptr %q
  %d = load float, ptr %p
  store float %d, ptr %q
  %e = load float, ptr %p
  store float %e, ptr %q
  ret void
}

define void @types(ptr addrspace(1) %p, ptr %q) #0 {
  %a = load double, ptr addrspace(1) %p
  store volatile double %a, ptr %q
  %b = load i32, ptr addrspace(1) %p
  store volatile i32 %b, ptr %q
  %c = load i64, ptr addrspace(1) %p
  store volatile i64 %c, ptr %q
  %d = load <2 x float>, ptr addrspace(1) %p
  store volatile <2 x float> %d, ptr %q
  %e = load <4 x i32>, ptr addrspace(1) %p
  store volatile <4 x i32> %e, ptr %q
  ret void
}

define void @generic(ptr %p, ptr %q) #0 {
  %a = load float, ptr %p
  store float %a, ptr %q
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @kernel, !"kernel", i32 1}
