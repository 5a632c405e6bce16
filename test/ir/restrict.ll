; restrict takes the argument that a load or store goes through for the only way to
; its memory: what the loop adds up in memory stays in a register, what it reads is
; read once, and a second restrict of the same argument changes nothing more. The
; wish does not stay behind; loads from what is only read become read-only loads in
; the code that is made of it.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define void @sum(ptr noalias %sum, ptr %in, i32 %n)
; CHECK:       entry:
; CHECK:         load float, ptr %sum
; CHECK:       loop:
; CHECK-NOT:     load float, ptr %sum
; CHECK:         load float
; CHECK-NOT:     store
; CHECK:       done:
; CHECK:         store float {{.*}}, ptr %sum

; CHECK-LABEL: define void @bound(ptr noalias %bound, ptr %out)
; CHECK:       entry:
; CHECK:         load i32, ptr %bound
; CHECK:       loop:
; CHECK-NOT:     load
; CHECK:         store i32
; CHECK-NOT:     load
; CHECK:         ret void

; CHECK-LABEL: define void @twice(ptr noalias %a, ptr %b)
; CHECK:         load i32, ptr %a
; CHECK-NOT:     load
; CHECK:         ret void

; Nobody asked for this one.
; CHECK-LABEL: define void @alone(ptr %a, ptr %b)
; CHECK-COUNT-2: load i32, ptr %a

; CHECK-NOT: gevo-restrict

;--- edits.txt
@sum {"kind": "restrict", "at": "i2"}
@bound {"kind": "restrict", "at": "i5"}
@twice {"kind": "restrict", "at": "i0"}
@twice {"kind": "restrict", "at": "i2"}
@alone {"kind": "operand", "at": "i4", "operand": 1, "value": "i32 5"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @sum(ptr %sum, ptr %in, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = load float, ptr %sum, align 4
  %from = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %from, align 4
  %t = fadd float %s, %v
  store float %t, ptr %sum, align 4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @bound(ptr %bound, ptr %out) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %to = getelementptr i32, ptr %out, i32 %i
  store i32 %i, ptr %to, align 4
  %next = add nuw nsw i32 %i, 1
  %n = load i32, ptr %bound, align 4
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @twice(ptr %a, ptr %b) #0 {
  %x = load i32, ptr %a, align 4
  store i32 %x, ptr %b, align 4
  %y = load i32, ptr %a, align 4
  %z = add i32 %x, %y
  %to = getelementptr i32, ptr %b, i32 1
  store i32 %z, ptr %to, align 4
  ret void
}

define void @alone(ptr %a, ptr %b) #0 {
  %x = load i32, ptr %a, align 4
  store i32 %x, ptr %b, align 4
  %y = load i32, ptr %a, align 4
  %z = add i32 %x, %y
  %w = mul i32 %z, 3
  %to = getelementptr i32, ptr %b, i32 1
  store i32 %w, ptr %to, align 4
  ret void
}
