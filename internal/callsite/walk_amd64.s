//go:build !purego

#include "textflag.h"

// func walk(f *[5]uintptr, up int) bool
//
// BP is the frame pointer of the caller: it points to the frame pointer of the
// function above, and the word behind that is the address to which the caller
// returns.
TEXT ·walk(SB), NOSPLIT|NOFRAME, $0-17
	MOVQ f+0(FP), DI
	MOVQ up+8(FP), SI
	XORL AX, AX
	XORL BX, BX
	XORL CX, CX
	XORL R8, R8
	XORL R9, R9
	MOVQ BP, DX

up:
	DECQ SI
	JLT  there
	MOVQ (DX), DX
	TESTQ DX, DX
	JNZ  up
	JMP  done

there:
	MOVQ 8(DX), AX
	MOVQ (DX), DX
	TESTQ DX, DX
	JZ   done
	MOVQ 8(DX), BX
	MOVQ (DX), DX
	TESTQ DX, DX
	JZ   done
	MOVQ 8(DX), CX
	MOVQ (DX), DX
	TESTQ DX, DX
	JZ   done
	MOVQ 8(DX), R8
	MOVQ (DX), DX
	TESTQ DX, DX
	JZ   done
	MOVQ 8(DX), R9

done:
	MOVQ AX, 0(DI)
	MOVQ BX, 8(DI)
	MOVQ CX, 16(DI)
	MOVQ R8, 24(DI)
	MOVQ R9, 32(DI)
	MOVB $1, ret+16(FP)
	RET

// func look(s *Stack) bool
//
// BP is the frame pointer of the caller; see walk.
TEXT ·look(SB), NOSPLIT|NOFRAME, $0-9
	MOVQ s+0(FP), DI
	MOVQ BP, DX
	MOVQ $12, CX

up:
	MOVQ 8(DX), AX
	MOVQ AX, (DI)
	ADDQ $8, DI
	DECQ CX
	JZ   full
	MOVQ (DX), DX
	TESTQ DX, DX
	JNZ  up

rest:
	MOVQ $0, (DI)
	ADDQ $8, DI
	DECQ CX
	JNZ  rest

full:
	MOVB $1, ret+8(FP)
	RET
