; Remapping aligns the whole function: an edit of the first of two barriers is
; not applied to the second when the first is gone, but follows it when
; something else was put between. Two stale lists for one function do not both
; apply.
; REQUIRES: plugin

; RUN: rm -rf %t && split-file %s %t
; RUN: gevo-edits make %t/old.ll --function=k -o %t/set.json "delete at=i0"

; RUN: %opt_gevo -passes='gevo-replay<edits=%t/set.json;remap>' -S %t/gone.ll -o %t/same.ll 2>&1 | FileCheck %s --check-prefix=GONE
; GONE: the edits of 'k' do not apply: i0 (call void @llvm.nvvm.barrier0) is gone
; RUN: opt -S %t/gone.ll | cmp - %t/same.ll

; RUN: %opt_gevo -passes='gevo-replay<edits=%t/set.json;remap>' -S %t/moved.ll 2>&1 | FileCheck %s --check-prefix=MOVED
; MOVED: its edits were remapped, at least [[SURE:[0-9]+]] % sure: i0 is now i1 ([[SURE]] %)
; MOVED-LABEL: define void @k(
; MOVED-NEXT: store volatile float 3.0
; MOVED-NEXT: store volatile float 1.0
; MOVED-NEXT: fmul
; MOVED-NEXT: call void @llvm.nvvm.barrier0()

; RUN: gevo-edits make %t/old.ll --function=k -o %t/other.json "delete at=i3"
; RUN: %python %t/both.py %t/set.json %t/other.json > %t/both.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/both.json;remap>' -S %t/moved.ll -o %t/one.ll 2>&1 | FileCheck %s --check-prefix=BOTH
; BOTH: the edits of 'k' do not apply: another list of edits for this function fits it better
; BOTH: applied 1 of 2 edits
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/other.json;remap>' -S %t/moved.ll 2>/dev/null | cmp - %t/one.ll

;--- both.py
import json, sys
sets = [json.load(open(path)) for path in sys.argv[1:]]
functions = [s["architectures"][0]["functions"][0] for s in sets]
sets[0]["architectures"][0]["functions"] = functions
print(json.dumps(sets[0], indent=2))
;--- old.ll
source_filename = "k.cu"
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.barrier0()
define void @k(ptr %p, float %x) "target-cpu"="sm_70" {
  call void @llvm.nvvm.barrier0()
  store float 1.0, ptr %p, align 4
  %m = fmul float %x, %x
  call void @llvm.nvvm.barrier0()
  store float %m, ptr %p, align 4
  ret void
}
;--- gone.ll
source_filename = "k.cu"
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.barrier0()
define void @k(ptr %p, float %x) "target-cpu"="sm_70" {
  store float 1.0, ptr %p, align 4
  %m = fmul float %x, %x
  call void @llvm.nvvm.barrier0()
  store float %m, ptr %p, align 4
  ret void
}
;--- moved.ll
source_filename = "k.cu"
target triple = "nvptx64-nvidia-cuda"
declare void @llvm.nvvm.barrier0()
define void @k(ptr %p, float %x) "target-cpu"="sm_70" {
  store volatile float 3.0, ptr %p, align 4
  call void @llvm.nvvm.barrier0()
  store volatile float 1.0, ptr %p, align 4
  %m = fmul float %x, %x
  call void @llvm.nvvm.barrier0()
  store volatile float %m, ptr %p, align 4
  ret void
}
