; gevo-mutate draws edits by seed and writes the edit set. The same seed draws the
; same set, another seed another; replaying the file gives the module that mutating
; gave, byte for byte; parsing and printing the file gives it back, byte for byte.

; REQUIRES: plugin
; RUN: rm -rf %t && mkdir %t
; RUN: %opt_gevo -passes='gevo-mutate<seed=7;count=12;edits=%t/7.json>' -S %s -o %t/mutated.ll
; RUN: %opt_gevo -passes='gevo-mutate<seed=7;count=12;edits=%t/again.json>' -S %s -o %t/again.ll
; RUN: cmp %t/7.json %t/again.json
; RUN: cmp %t/mutated.ll %t/again.ll
; RUN: %opt_gevo -passes='gevo-mutate<seed=8;count=12;edits=%t/8.json>' -disable-output %s
; RUN: not cmp %t/7.json %t/8.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/7.json;strict>' -S %s -o %t/replayed.ll
; RUN: cmp %t/mutated.ll %t/replayed.ll
; RUN: gevo-edits format %t/7.json | cmp - %t/7.json

; Twelve were asked for, and twelve are in the file, each with what it is about.
; RUN: FileCheck %s < %t/7.json
; RUN: grep -c '"kind"' %t/7.json | FileCheck %s --check-prefix=COUNT
; COUNT: {{^}}12{{$}}
; CHECK:      "gevo": 1,
; CHECK-NEXT: "producer": "gevo {{[0-9.]+}}",
; CHECK:      "arch": "sm_70",
; CHECK:      "name": "kernel",
; CHECK-NEXT: "source": "{{.*}}mutate.ll",
; CHECK-NEXT: "fingerprint": "{{[0-9a-f]+}}",
; CHECK-NEXT: "instructions": 18,
; CHECK:      "note": "

; A module that has no place for so many, and one that is no device code: it says so.
; RUN: split-file %S/Inputs/mutate-nothing.ll %t/parts
; RUN: %opt_gevo -passes='gevo-mutate<count=4;edits=%t/none.json>' -disable-output %t/parts/empty.ll 2>&1 | FileCheck %s --check-prefix=FEW
; FEW: warning: gevo: gevo-mutate: drew 0 of 4 edits; empty.cu has no place for more
; RUN: gevo-edits format %t/none.json | cmp - %t/none.json
; RUN: %opt_gevo -passes='gevo-mutate<edits=%t/parts/host.json>' -disable-output %t/parts/host.ll 2>&1 | FileCheck %s --check-prefix=HOST
; HOST: warning: gevo: gevo-mutate: host.cu has no device code to edit; it takes a module for nvptx64 whose functions have the attribute target-cpu, as GEVO_RECORD keeps them
; RUN: not ls %t/parts/host.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/7.json>' -disable-output %t/parts/host.ll 2>&1 | count 0
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/7.json>' -disable-output %t/parts/plain.ll 2>&1 | FileCheck %s --check-prefix=PLAIN
; PLAIN: warning: gevo: no function of plain.cu has the attribute target-cpu, which chooses the section of the edit set; it is compiled without edits

; Without edits= the module is changed and nothing is written.
; RUN: %opt_gevo -passes='gevo-mutate<seed=7;count=12>' -S %s -o %t/silent.ll
; RUN: cmp %t/mutated.ll %t/silent.ll

; A place that cannot be written is an error, and the module is not changed.
; RUN: not %opt_gevo -passes='gevo-mutate<edits=%t/missing/f.json>' -S %s -o %t/none.ll 2>&1 \
; RUN:   | FileCheck %s --check-prefix=WRITE
; WRITE: error: gevo: cannot write '{{.*}}missing/f.json': No such file or directory

; A host module, and one without code, give no edits.
; RUN: sed 's/nvptx64-nvidia-cuda/x86_64-linux-gnu/' %s > %t/host.ll
; RUN: %opt_gevo -passes='gevo-mutate<seed=7;count=12;edits=%t/host.json>' -S %t/host.ll -o %t/host-mutated.ll
; RUN: opt -S %t/host.ll | cmp - %t/host-mutated.ll
; RUN: not ls %t/host.json

target triple = "nvptx64-nvidia-cuda"

define void @kernel(ptr %p, ptr %q, i32 %n, float %x) "target-cpu"="sm_70" {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi float [ 0.0, %entry ], [ %total, %latch ]
  %from = getelementptr float, ptr %p, i32 %i
  %v = load float, ptr %from
  %big = fcmp ogt float %v, %x
  br i1 %big, label %then, label %latch
then:
  %scaled = fdiv float %v, %x
  br label %latch
latch:
  %add = phi float [ %v, %loop ], [ %scaled, %then ]
  %total = fadd float %sum, %add
  %to = getelementptr float, ptr %q, i32 %i
  store float %total, ptr %to
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
