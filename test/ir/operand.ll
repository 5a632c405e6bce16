; operand gives an operand another value of its type: an argument, an instruction
; that dominates, or a constant. Conditions, phis and returned values are operands,
; too.
; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -S %t/kernel.ll | FileCheck %s

; CHECK-LABEL: define void @argument(
; CHECK-NEXT:    fadd float %x, %y

; CHECK-LABEL: define void @instruction(
; CHECK-NEXT:    [[A:%.*]] = fadd float %x, 1.0
; CHECK-NEXT:    store float [[A]], ptr %p

; CHECK-LABEL: define void @constant(
; CHECK-NEXT:    store float 1.500000e+00, ptr %p

; CHECK-LABEL: define void @condition(
; CHECK-NEXT:  entry:
; CHECK-NEXT:    store float 1.0{{.*}}, ptr %p
; CHECK-NEXT:    ret void

; CHECK-LABEL: define i32 @phi(
; CHECK:         phi i32 [ %n, %entry ], [ %next, %loop ]

; CHECK-LABEL: define i32 @result(
; CHECK-NEXT:    ret i32 %n

; CHECK-LABEL: define void @pointer(
; CHECK-NEXT:    store float %x, ptr %q

; CHECK-LABEL: define void @vector(
; CHECK-NEXT:    store <2 x float> <float 1.000000e+00, float 2.000000e+00>, ptr %p

;--- edits.txt
@argument {"kind": "operand", "at": "i0", "operand": 1, "value": "a2"}
@instruction {"kind": "operand", "at": "i2", "operand": 0, "value": "i0"}
@constant {"kind": "operand", "at": "i1", "operand": 0, "value": "float 0x3FF8000000000000"}
@condition {"kind": "operand", "at": "i0", "operand": 0, "value": "i1 true"}
@phi {"kind": "operand", "at": "i1", "operand": 0, "value": "a0"}
@result {"kind": "operand", "at": "i1", "operand": 0, "value": "a0"}
@pointer {"kind": "operand", "at": "i0", "operand": 1, "value": "a1"}
@vector {"kind": "operand", "at": "i0", "operand": 0, "value": "<2 x float> <float 1.000000e+00, float 2.000000e+00>"}
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @argument(ptr %p, float %x, float %y) #0 {
  %a = fadd float %x, %x
  store float %a, ptr %p
  ret void
}

define void @instruction(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  %b = fmul float %a, %x
  store float %b, ptr %p
  ret void
}

define void @constant(ptr %p, float %x) #0 {
  %a = fadd float %x, 1.0
  store float %a, ptr %p
  ret void
}

define void @condition(ptr %p, i1 %c) #0 {
entry:
  br i1 %c, label %then, label %done
then:
  store float 1.0, ptr %p
  br label %done
done:
  ret void
}

define i32 @phi(i32 %n) #0 {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 10
  br i1 %more, label %loop, label %done
done:
  ret i32 %next
}

define i32 @result(i32 %n) #0 {
  %m = mul i32 %n, %n
  ret i32 %m
}

define void @pointer(ptr %p, ptr %q, float %x) #0 {
  store float %x, ptr %p
  ret void
}

define void @vector(ptr %p, <2 x float> %v) #0 {
  store <2 x float> %v, ptr %p
  ret void
}
