//go:build !race && !purego

#include "textflag.h"

// A run of a list: AX is its place in memory, CX its place packed, DX its length
// and K1 the mask for that.

#define NEXT_RUN \
	MOVQ  (R8), AX; \
	MOVQ  (R9), CX; \
	MOVQ  8(R9), DX; \
	SUBQ  CX, DX; \
	BZHIQ DX, R12, R13; \
	KMOVQ R13, K1; \
	ADDQ  $8, R8; \
	ADDQ  $8, R9

#define LIST_ARGS \
	MOVQ      dst+0(FP), DI; \
	MOVQ      src+8(FP), SI; \
	MOVQ      offs+16(FP), R8; \
	MOVQ      starts+24(FP), R9; \
	MOVQ      n+32(FP), BX; \
	MOVQ      order+40(FP), AX; \
	VMOVDQU64 (AX), Z0; \
	MOVQ      $-1, R12

// func permuteAVX512(dst, src unsafe.Pointer, n, ds, ss, count, dfar, sfar int64, load, store uint64, order *[64]byte)
//
// Masked loads and stores touch no byte whose bit is not set. The same window of
// the next group is fetched ahead, as in squeezeAVX512.
TEXT ·permuteAVX512(SB), NOSPLIT, $0-88
	MOVQ      dst+0(FP), DI
	MOVQ      src+8(FP), SI
	MOVQ      n+16(FP), BX
	MOVQ      ds+24(FP), R8
	MOVQ      ss+32(FP), R9
	MOVQ      count+40(FP), R10
	MOVQ      dfar+48(FP), R11
	MOVQ      sfar+56(FP), R12
	MOVQ      load+64(FP), AX
	MOVQ      store+72(FP), DX
	KMOVQ     AX, K1
	KMOVQ     DX, K2
	MOVQ      order+80(FP), AX
	VMOVDQU64 (AX), Z0

permuteGroup:
	MOVQ DI, R13
	MOVQ SI, DX
	MOVQ BX, CX

permuteWindow:
	PREFETCHT0 (SI)(R12*1)
	VMOVDQU8.Z (SI), K1, Z1
	VPERMB     Z1, Z0, Z1
	VMOVDQU8   Z1, K2, (DI)
	ADDQ       R8, DI
	ADDQ       R9, SI
	DECQ       CX
	JNZ        permuteWindow
	LEAQ       (R13)(R11*1), DI
	LEAQ       (DX)(R12*1), SI
	DECQ       R10
	JNZ        permuteGroup
	VZEROUPPER
	RET

// func swapRowsAVX512(d, s unsafe.Pointer, ds, ss, n, w int64, order *[64]byte)
TEXT ·swapRowsAVX512(SB), NOSPLIT, $0-56
	MOVQ      d+0(FP), DI
	MOVQ      s+8(FP), SI
	MOVQ      ds+16(FP), R8
	MOVQ      ss+24(FP), R9
	MOVQ      n+32(FP), BX
	MOVQ      w+40(FP), DX
	MOVQ      order+48(FP), AX
	VMOVDQU64 (AX), Z0
	MOVQ      $-1, R12
	CMPQ      DX, $16
	JEQ       swapRows16
	CMPQ      DX, $64
	JGT       swapRowsLong
	BZHIQ     DX, R12, R12
	KMOVQ     R12, K1

swapRowsShort:
	VMOVDQU8.Z (SI), K1, Z1
	VPSHUFB    Z0, Z1, Z1
	VMOVDQU8   Z1, K1, (DI)
	ADDQ       R8, DI
	ADDQ       R9, SI
	DECQ       BX
	JNZ        swapRowsShort
	VZEROUPPER
	RET

// Pairs of doubles: masks would cost more than the moves.
swapRows16:
	SUBQ $2, BX
	JL   swapRows16Last

swapRows16Next:
	VMOVDQU (SI), X1
	VMOVDQU (SI)(R9*1), X2
	VPSHUFB X0, X1, X1
	VPSHUFB X0, X2, X2
	VMOVDQU X1, (DI)
	VMOVDQU X2, (DI)(R8*1)
	LEAQ    (SI)(R9*2), SI
	LEAQ    (DI)(R8*2), DI
	SUBQ    $2, BX
	JGE     swapRows16Next

swapRows16Last:
	ADDQ    $2, BX
	JZ      swapRows16Done
	VMOVDQU (SI), X1
	VPSHUFB X0, X1, X1
	VMOVDQU X1, (DI)

swapRows16Done:
	VZEROUPPER
	RET

swapRowsLong:
	MOVQ  DX, R10
	ANDQ  $63, R10
	SUBQ  R10, DX          // in whole vectors
	BZHIQ R10, R12, R12
	KMOVQ R12, K1          // the rest

swapRowsNext:
	XORQ CX, CX
	JMP  swapRowsTest

swapRowsMove:
	VMOVDQU64 (SI)(CX*1), Z1
	VPSHUFB   Z0, Z1, Z1
	VMOVDQU64 Z1, (DI)(CX*1)
	ADDQ      $64, CX

swapRowsTest:
	CMPQ       CX, DX
	JLT        swapRowsMove
	TESTQ      R10, R10
	JZ         swapRowsDone
	VMOVDQU8.Z (SI)(CX*1), K1, Z1
	VPSHUFB    Z0, Z1, Z1
	VMOVDQU8   Z1, K1, (DI)(CX*1)

swapRowsDone:
	ADDQ R8, DI
	ADDQ R9, SI
	DECQ BX
	JNZ  swapRowsNext
	VZEROUPPER
	RET

// func gatherAVX512(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte)
TEXT ·gatherAVX512(SB), NOSPLIT, $0-48
	LIST_ARGS

gatherRun:
	NEXT_RUN
	VMOVDQU8.Z (SI)(AX*1), K1, Z1
	VPSHUFB    Z0, Z1, Z1
	VMOVDQU8   Z1, K1, (DI)(CX*1)
	DECQ       BX
	JNZ        gatherRun
	VZEROUPPER
	RET

// func scatterAVX512(dst, src unsafe.Pointer, offs, starts *int64, n int64, order *[64]byte)
TEXT ·scatterAVX512(SB), NOSPLIT, $0-48
	LIST_ARGS

scatterRun:
	NEXT_RUN
	VMOVDQU8.Z (SI)(CX*1), K1, Z1
	VPSHUFB    Z0, Z1, Z1
	VMOVDQU8   Z1, K1, (DI)(AX*1)
	DECQ       BX
	JNZ        scatterRun
	VZEROUPPER
	RET
