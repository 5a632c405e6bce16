; unroll repeats the body of the loop that a branch closes: with a known number of
; rounds, with a remainder loop if that number is not known, and of an inner loop
; alone. The wish itself does not stay behind.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define void @known(
; CHECK-COUNT-4: store volatile i32
; CHECK-NOT:     store
; CHECK:         icmp ult i32 {{.*}}, 64
; CHECK-NOT:     store
; CHECK:         ret void

; Two in the loop, and one for an odd number of rounds.
; CHECK-LABEL: define void @unknown(
; CHECK-COUNT-3: store volatile i32
; CHECK-NOT:     store
; CHECK:         ret void

; CHECK-LABEL: define void @inner(
; CHECK:       outer:
; CHECK-COUNT-3: store volatile i32
; CHECK-NOT:     store
; CHECK:         ret void

; The later wish counts.
; CHECK-LABEL: define void @twice(
; CHECK-COUNT-8: store volatile i32
; CHECK-NOT:     store
; CHECK:         ret void

; CHECK-NOT: llvm.loop.unroll.count

;--- edits.txt
@known {"kind": "unroll", "at": "i5", "count": 4}
@unknown {"kind": "unroll", "at": "i5", "count": 2}
@inner {"kind": "unroll", "at": "i7", "count": 3}
@twice {"kind": "unroll", "at": "i5", "count": 2}
@twice {"kind": "unroll", "at": "i5", "count": 8}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @known(ptr %p) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr %p
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @unknown(ptr %p, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr %p
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @inner(ptr %p, i32 %n) #0 {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %next, %last ]
  br label %loop
loop:
  %k = phi i32 [ 0, %outer ], [ %step, %loop ]
  store volatile i32 %k, ptr %p
  %step = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %step, 9
  br i1 %again, label %loop, label %last
last:
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 100
  br i1 %more, label %outer, label %done
done:
  ret void
}

define void @twice(ptr %p) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr %p
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %done
done:
  ret void
}
