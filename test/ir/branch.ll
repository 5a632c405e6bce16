; branch makes a conditional branch always go one way. The blocks of the other way
; go, and so does a loop that is never entered or never repeated; phis of the lost
; edge lose their entry.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define i32 @then(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    [[S:%.*]] = add i32 %x, %y
; CHECK-NEXT:    ret i32 [[S]]

; CHECK-LABEL: define i32 @else(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    [[T:%.*]] = mul i32 %x, %y
; CHECK-NEXT:    ret i32 [[T]]

; CHECK-LABEL: define void @once(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    store volatile i32 0, ptr %p
; CHECK-NEXT:    ret void

; A block that is cut off keeps its anchors for later edits.
; CHECK-LABEL: define void @later(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    ret void

;--- edits.txt
@then {"kind": "branch", "at": "i0", "take": "true"}
@else {"kind": "branch", "at": "i0", "take": "false"}
@once {"kind": "branch", "at": "i5", "take": "false"}
@later {"kind": "branch", "at": "i0", "take": "false"}
@later {"kind": "delete", "at": "i1"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define i32 @then(i1 %c, i32 %x, i32 %y) #0 {
entry:
  br i1 %c, label %a, label %b
a:
  %s = add i32 %x, %y
  br label %done
b:
  %t = mul i32 %x, %y
  br label %done
done:
  %r = phi i32 [ %s, %a ], [ %t, %b ]
  ret i32 %r
}

define i32 @else(i1 %c, i32 %x, i32 %y) #0 {
entry:
  br i1 %c, label %a, label %b
a:
  %s = add i32 %x, %y
  br label %done
b:
  %t = mul i32 %x, %y
  br label %done
done:
  %r = phi i32 [ %s, %a ], [ %t, %b ]
  ret i32 %r
}

define void @once(ptr %p, i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store volatile i32 %i, ptr %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @later(ptr %p, i1 %c) #0 {
entry:
  br i1 %c, label %a, label %done
a:
  store i32 1, ptr %p
  br label %done
done:
  ret void
}
