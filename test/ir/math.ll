; math relaxes one floating-point operation: reassociation and contraction by
; flags; approximate division, reciprocal and square root, and flush to zero by
; NVIDIA's intrinsics. Every row of the table is here once, and the code generator
; takes all of them.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' %t/kernel.ll \
; RUN:   | llc -mcpu=sm_70 | FileCheck %s --check-prefix=PTX

; CHECK-LABEL: define float @flags(
; CHECK-NEXT:    %a = fadd reassoc nsz float %x, %y
; CHECK-NEXT:    %b = fmul contract float %a, %y
; CHECK-NEXT:    %c = fsub reassoc nsz contract float %b, %x

; CHECK-LABEL: define float @div(
; CHECK-NEXT:    [[A:%.*]] = call float @llvm.nvvm.div.approx.f(float %x, float %y)
; CHECK-NEXT:    [[B:%.*]] = call float @llvm.nvvm.div.approx.f(float [[A]], float %y)
; CHECK-NEXT:    [[C:%.*]] = call float @llvm.nvvm.div.approx.ftz.f(float [[B]], float %x)
; CHECK-NEXT:    ret float [[C]]

; CHECK-LABEL: define float @rcp(
; CHECK-NEXT:    [[A:%.*]] = call float @llvm.nvvm.rcp.approx.ftz.f(float %x)
; CHECK-NEXT:    [[B:%.*]] = call float @llvm.nvvm.rcp.approx.ftz.f(float [[A]])
; CHECK-NEXT:    [[C:%.*]] = call float @llvm.nvvm.rcp.approx.ftz.f(float [[B]])
; CHECK-NEXT:    ret float [[C]]

; CHECK-LABEL: define double @rcp_double(
; CHECK-NEXT:    [[A:%.*]] = call double @llvm.nvvm.rcp.approx.ftz.d(double %x)
; CHECK-NEXT:    [[B:%.*]] = call double @llvm.nvvm.rcp.approx.ftz.d(double [[A]])
; CHECK-NEXT:    ret double [[B]]

; CHECK-LABEL: define float @sqrt(
; CHECK-NEXT:    call float @llvm.nvvm.sqrt.approx.f(
; CHECK-NEXT:    call float @llvm.nvvm.sqrt.approx.f(
; CHECK-NEXT:    call float @llvm.nvvm.sqrt.approx.f(
; CHECK-NEXT:    call float @llvm.nvvm.sqrt.approx.ftz.f(

; CHECK-LABEL: define float @ftz(
; CHECK-NEXT:    [[A:%.*]] = call float @llvm.nvvm.add.rn.ftz.f(float %x, float %y)
; CHECK-NEXT:    [[NEGATED:%.*]] = fneg float %y
; CHECK-NEXT:    call float @llvm.nvvm.add.rn.ftz.f(float [[A]], float [[NEGATED]])
; CHECK-NEXT:    call float @llvm.nvvm.mul.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.div.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.fma.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.fma.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.fma.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.add.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.mul.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.div.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.div.approx.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.rcp.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.sqrt.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.sqrt.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.sqrt.rn.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.sqrt.approx.ftz.f(
; CHECK-NEXT:    call float @llvm.nvvm.rsqrt.approx.ftz.f(
; CHECK-NEXT:    ret float

; Two relaxations of one operation add up.
; CHECK-LABEL: define float @twice(
; CHECK-NEXT:    call float @llvm.nvvm.div.approx.ftz.f(

; PTX-LABEL: .func {{.*}} div(
; PTX:         div.approx.f32
; PTX:         div.approx.f32
; PTX:         div.approx.ftz.f32
; PTX-LABEL: .func {{.*}} rcp_double(
; PTX:         rcp.approx.ftz.f64
; PTX-LABEL: .func {{.*}} sqrt(
; PTX:         sqrt.approx.f32
; PTX:         sqrt.approx.ftz.f32
; PTX-LABEL: .func {{.*}} ftz(
; PTX:         rsqrt.approx.ftz.f32

;--- edits.txt
@flags {"kind": "math", "at": "i0", "relax": "reassoc"}
@flags {"kind": "math", "at": "i1", "relax": "contract"}
@flags {"kind": "math", "at": "i2", "relax": "reassoc"}
@flags {"kind": "math", "at": "i2", "relax": "contract"}
@div {"kind": "math", "at": "i0", "relax": "div"}
@div {"kind": "math", "at": "i1", "relax": "div"}
@div {"kind": "math", "at": "i2", "relax": "div"}
@rcp {"kind": "math", "at": "i0", "relax": "rcp"}
@rcp {"kind": "math", "at": "i1", "relax": "rcp"}
@rcp {"kind": "math", "at": "i2", "relax": "rcp"}
@rcp_double {"kind": "math", "at": "i0", "relax": "rcp"}
@rcp_double {"kind": "math", "at": "i1", "relax": "rcp"}
@sqrt {"kind": "math", "at": "i0", "relax": "sqrt"}
@sqrt {"kind": "math", "at": "i1", "relax": "sqrt"}
@sqrt {"kind": "math", "at": "i2", "relax": "sqrt"}
@sqrt {"kind": "math", "at": "i3", "relax": "sqrt"}
@ftz {"kind": "math", "at": "i0", "relax": "ftz"}
@ftz {"kind": "math", "at": "i1", "relax": "ftz"}
@ftz {"kind": "math", "at": "i2", "relax": "ftz"}
@ftz {"kind": "math", "at": "i3", "relax": "ftz"}
@ftz {"kind": "math", "at": "i4", "relax": "ftz"}
@ftz {"kind": "math", "at": "i5", "relax": "ftz"}
@ftz {"kind": "math", "at": "i6", "relax": "ftz"}
@ftz {"kind": "math", "at": "i7", "relax": "ftz"}
@ftz {"kind": "math", "at": "i8", "relax": "ftz"}
@ftz {"kind": "math", "at": "i9", "relax": "ftz"}
@ftz {"kind": "math", "at": "i10", "relax": "ftz"}
@ftz {"kind": "math", "at": "i11", "relax": "ftz"}
@ftz {"kind": "math", "at": "i12", "relax": "ftz"}
@ftz {"kind": "math", "at": "i13", "relax": "ftz"}
@ftz {"kind": "math", "at": "i14", "relax": "ftz"}
@ftz {"kind": "math", "at": "i15", "relax": "ftz"}
@ftz {"kind": "math", "at": "i16", "relax": "ftz"}
@twice {"kind": "math", "at": "i0", "relax": "div"}
@twice {"kind": "math", "at": "i0", "relax": "ftz"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define float @flags(float %x, float %y) #0 {
  %a = fadd float %x, %y
  %b = fmul float %a, %y
  %c = fsub float %b, %x
  ret float %c
}

declare float @llvm.nvvm.div.rn.f(float, float)
declare float @llvm.nvvm.div.rn.ftz.f(float, float)
define float @div(float %x, float %y) #0 {
  %a = fdiv float %x, %y
  %b = call float @llvm.nvvm.div.rn.f(float %a, float %y)
  %c = call float @llvm.nvvm.div.rn.ftz.f(float %b, float %x)
  ret float %c
}

declare float @llvm.nvvm.rcp.rn.f(float)
declare float @llvm.nvvm.rcp.rn.ftz.f(float)
define float @rcp(float %x) #0 {
  %a = fdiv float 1.0, %x
  %b = call float @llvm.nvvm.rcp.rn.f(float %a)
  %c = call float @llvm.nvvm.rcp.rn.ftz.f(float %b)
  ret float %c
}

declare double @llvm.nvvm.rcp.rn.d(double)
define double @rcp_double(double %x) #0 {
  %a = fdiv double 1.0, %x
  %b = call double @llvm.nvvm.rcp.rn.d(double %a)
  ret double %b
}

declare float @llvm.sqrt.f32(float)
declare float @llvm.nvvm.sqrt.f(float)
declare float @llvm.nvvm.sqrt.rn.f(float)
declare float @llvm.nvvm.sqrt.rn.ftz.f(float)
define float @sqrt(float %x) #0 {
  %a = call float @llvm.sqrt.f32(float %x)
  %b = call float @llvm.nvvm.sqrt.f(float %a)
  %c = call float @llvm.nvvm.sqrt.rn.f(float %b)
  %d = call float @llvm.nvvm.sqrt.rn.ftz.f(float %c)
  ret float %d
}

declare float @llvm.fma.f32(float, float, float)
declare float @llvm.fmuladd.f32(float, float, float)
declare float @llvm.nvvm.fma.rn.f(float, float, float)
declare float @llvm.nvvm.add.rn.f(float, float)
declare float @llvm.nvvm.mul.rn.f(float, float)
declare float @llvm.nvvm.div.approx.f(float, float)
declare float @llvm.nvvm.sqrt.approx.f(float)
declare float @llvm.nvvm.rsqrt.approx.f(float)
define float @ftz(float %x, float %y) #0 {
  %a = fadd float %x, %y
  %b = fsub float %a, %y
  %c = fmul float %b, %y
  %d = fdiv float %c, %y
  %e = call float @llvm.fma.f32(float %d, float %x, float %y)
  %f = call float @llvm.fmuladd.f32(float %e, float %x, float %y)
  %g = call float @llvm.nvvm.fma.rn.f(float %f, float %x, float %y)
  %h = call float @llvm.nvvm.add.rn.f(float %g, float %x)
  %i = call float @llvm.nvvm.mul.rn.f(float %h, float %x)
  %j = call float @llvm.nvvm.div.rn.f(float %i, float %x)
  %k = call float @llvm.nvvm.div.approx.f(float %j, float %x)
  %l = call float @llvm.nvvm.rcp.rn.f(float %k)
  %m = call float @llvm.sqrt.f32(float %l)
  %n = call float @llvm.nvvm.sqrt.f(float %m)
  %o = call float @llvm.nvvm.sqrt.rn.f(float %n)
  %p = call float @llvm.nvvm.sqrt.approx.f(float %o)
  %q = call float @llvm.nvvm.rsqrt.approx.f(float %p)
  ret float %q
}

define float @twice(float %x, float %y) #0 {
  %a = fdiv float %x, %y
  ret float %a
}
