# tw_fiber_switch(void** save_to, void* load): saves the registers that a call preserves on this
# stack, its pointer to *save_to, and takes up those that lie on the other.
        .text
        .globl  tw_fiber_switch
        .hidden tw_fiber_switch
        .type   tw_fiber_switch, @function
tw_fiber_switch:
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .cfi_endproc
        .size   tw_fiber_switch, .-tw_fiber_switch

# The first thing that a fiber runs: its argument was left in %rbx, the function in %r12.
        .globl  tw_fiber_begin
        .hidden tw_fiber_begin
        .type   tw_fiber_begin, @function
tw_fiber_begin:
        .cfi_startproc
        .cfi_undefined %rip
        movq    %rbx, %rdi
        callq   *%r12
        ud2
        .cfi_endproc
        .size   tw_fiber_begin, .-tw_fiber_begin

        .section .note.GNU-stack,"",@progbits
