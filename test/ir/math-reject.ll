; What math refuses: a relaxation that does not exist, or not for this operation,
; type or constant, or that the operation has already. The function stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 \
; RUN:   | FileCheck %s --implicit-check-not='does not apply'
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edits.json:2:1: edit 1 (math i0 fast) of 'unknown' does not apply: 'fast' does not relax i0 (fadd float); what does: reassoc, contract, ftz; the function is left as it was. Remove the edit
; CHECK: edits.json:3:1: edit 1 (math i0 ftz) of 'integer' does not apply: 'ftz' does not relax i0 (add i32); nothing does; the function is left as it was. Remove the edit
; CHECK: edits.json:4:1: edit 1 (math i0 sqrt) of 'operation' does not apply: 'sqrt' does not relax i0 (fadd float); what does: reassoc, contract, ftz; the function is left as it was. Remove the edit
; CHECK: edits.json:5:1: edit 1 (math i0 div) of 'width' does not apply: 'div' does not relax i0 (fdiv double); nothing does; the function is left as it was. Remove the edit
; CHECK: edits.json:6:1: edit 1 (math i0 ftz) of 'vector' does not apply: 'ftz' does not relax i0 (fadd <2 x float>); what does: reassoc, contract; the function is left as it was. Remove the edit
; CHECK: edits.json:7:1: edit 1 (math i0 rcp) of 'numerator' does not apply: 'rcp' does not relax i0 (fdiv float); what does: div, ftz; the function is left as it was. Remove the edit
; CHECK: edits.json:8:1: edit 1 (math i0 contract) of 'already' does not apply: 'contract' does not relax i0 (fadd float); what does: reassoc, ftz; the function is left as it was. Remove the edit

;--- edits.txt
@unknown {"kind": "math", "at": "i0", "relax": "fast"}
@integer {"kind": "math", "at": "i0", "relax": "ftz"}
@operation {"kind": "math", "at": "i0", "relax": "sqrt"}
@width {"kind": "math", "at": "i0", "relax": "div"}
@vector {"kind": "math", "at": "i0", "relax": "ftz"}
@numerator {"kind": "math", "at": "i0", "relax": "rcp"}
@already {"kind": "math", "at": "i0", "relax": "contract"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @unknown(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @integer(ptr %p, i32 %n) #0 {
  %a = add i32 %n, 1
  store i32 %a, ptr %p
  ret void
}

define void @operation(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, 2.0
  store float %b, ptr %p
  ret void
}

define void @width(ptr %p, double %x) #0 {
  %a = fdiv double %x, %x
  store double %a, ptr %p
  ret void
}

define void @vector(ptr %p, <2 x float> %x) #0 {
  %a = fadd <2 x float> %x, %x
  store <2 x float> %a, ptr %p
  ret void
}

define void @numerator(ptr %p, float %x) #0 {
  %a = fdiv float 2.0, %x
  store float %a, ptr %p
  ret void
}

define void @already(ptr %p, float %x) #0 {
  %a = fadd contract float 2.0, %x
  store float %a, ptr %p
  ret void
}
