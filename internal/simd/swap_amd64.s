//go:build !race && !purego

#include "textflag.h"

// func swap(dst, src unsafe.Pointer, n int64, mask *[32]byte)
TEXT ·swap(SB), NOSPLIT, $0-32
	MOVQ    dst+0(FP), DI
	MOVQ    src+8(FP), SI
	MOVQ    n+16(FP), CX
	MOVQ    mask+24(FP), AX
	VMOVDQU (AX), Y0

swap128:
	CMPQ    CX, $128
	JLT     swap32
	VMOVDQU (SI), Y1
	VMOVDQU 32(SI), Y2
	VMOVDQU 64(SI), Y3
	VMOVDQU 96(SI), Y4
	VPSHUFB Y0, Y1, Y1
	VPSHUFB Y0, Y2, Y2
	VPSHUFB Y0, Y3, Y3
	VPSHUFB Y0, Y4, Y4
	VMOVDQU Y1, (DI)
	VMOVDQU Y2, 32(DI)
	VMOVDQU Y3, 64(DI)
	VMOVDQU Y4, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $128, CX
	JMP     swap128

swap32:
	CMPQ    CX, $32
	JLT     swapDone
	VMOVDQU (SI), Y1
	VPSHUFB Y0, Y1, Y1
	VMOVDQU Y1, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $32, CX
	JMP     swap32

swapDone:
	VZEROUPPER
	RET

// func shuffle(dst, src unsafe.Pointer, n int64, blocks *Block, count int64)
TEXT ·shuffle(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ blocks+24(FP), R8
	MOVQ count+32(FP), R9

shuffleUnit:
	TESTQ CX, CX
	JLE   shuffled
	MOVQ  R8, R10
	MOVQ  R9, R11

shuffleBlock:
	VMOVDQU (SI), X1
	VPSHUFB (R10), X1, X1
	VMOVDQU X1, (DI)
	MOVQ    16(R10), R12
	ADDQ    R12, SI
	ADDQ    R12, DI
	ADDQ    $24, R10
	DECQ    R11
	JNZ     shuffleBlock
	DECQ    CX
	JMP     shuffleUnit

shuffled:
	VZEROUPPER
	RET
