; A pointer to shared memory that the edits make one to global memory, which the
; verifier accepts and the code generator does not, is refused, and the function
; stays as it was.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json>' -S %t/kernel.ll -o %t/replayed.ll 2>&1 | FileCheck %s
; RUN: opt -S %t/kernel.ll -o %t/original.ll
; RUN: cmp %t/original.ll %t/replayed.ll

; CHECK: edit 2 (operand i1.0 = i0) of 'k' does not apply: its addrspacecast ptr addrspace(1) would take a pointer to one kind of memory for one to another; the function is left as it was. Remove the edit

;--- edits.txt
@k {"kind": "operand", "at": "i5", "operand": 0, "value": "i2"}
@k {"kind": "operand", "at": "i1", "operand": 0, "value": "i0"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [4 x float] undef

define void @k(ptr %p, ptr %q, i32 %x) "target-cpu"="sm_70" {
  %s = getelementptr float, ptr addrspacecast (ptr addrspace(3) @tile to ptr), i32 %x
  %g = addrspacecast ptr %p to ptr addrspace(1)
  %v = load float, ptr addrspace(1) %g, align 4
  store float %v, ptr %s, align 4
  %w = load float, ptr %s, align 4
  store float %w, ptr %q, align 4
  ret void
}
