//go:build !race && !purego

#include "textflag.h"

// The masked loads and stores of the first two neither read nor write, nor
// fault on, a byte whose bit is not set: no slack at the ends of memory, no
// writing back of what lies between.

// func squeezeAVX512(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64)
//
// The same window of the next group is fetched ahead: it is in another page,
// where the processor does not look by itself.
TEXT ·squeezeAVX512(SB), NOSPLIT, $0-56
	MOVQ    dst+0(FP), DI
	MOVQ    src+8(FP), SI
	MOVQ    n+16(FP), BX
	MOVQ    stride+24(FP), DX
	MOVQ    count+32(FP), R8
	MOVQ    far+40(FP), R9
	MOVQ    mask+48(FP), AX
	POPCNTQ AX, R10
	MOVQ    $-1, R12
	BZHIQ   R10, R12, R12
	KMOVQ   AX, K1             // bytes of a window that are data
	KMOVQ   R12, K2            // as many, packed

squeezeGroup:
	MOVQ SI, R13
	MOVQ BX, CX

squeezeWindow:
	PREFETCHT0  (SI)(R9*1)
	VMOVDQU8.Z  (SI), K1, Z0
	VPCOMPRESSB Z0, K1, Z1
	VMOVDQU8    Z1, K2, (DI)
	ADDQ        DX, SI
	ADDQ        R10, DI
	DECQ        CX
	JNZ         squeezeWindow
	LEAQ        (R13)(R9*1), SI
	DECQ        R8
	JNZ         squeezeGroup
	VZEROUPPER
	RET

// func spreadAVX512(dst, src unsafe.Pointer, n, stride, count, far int64, mask uint64)
TEXT ·spreadAVX512(SB), NOSPLIT, $0-56
	MOVQ    dst+0(FP), DI
	MOVQ    src+8(FP), SI
	MOVQ    n+16(FP), BX
	MOVQ    stride+24(FP), DX
	MOVQ    count+32(FP), R8
	MOVQ    far+40(FP), R9
	MOVQ    mask+48(FP), AX
	POPCNTQ AX, R10
	MOVQ    $-1, R12
	BZHIQ   R10, R12, R12
	KMOVQ   AX, K1
	KMOVQ   R12, K2

spreadGroup:
	MOVQ DI, R13
	MOVQ BX, CX

spreadWindow:
	VMOVDQU8.Z  (SI), K2, Z0
	VPEXPANDB.Z Z0, K1, Z1
	VMOVDQU8    Z1, K1, (DI)
	ADDQ        DX, DI
	ADDQ        R10, SI
	DECQ        CX
	JNZ         spreadWindow
	LEAQ        (R13)(R9*1), DI
	DECQ        R8
	JNZ         spreadGroup
	VZEROUPPER
	RET

// func rowsAVX512(d, s unsafe.Pointer, ds, ss, n, w int64)
//
// The last 64 bytes of a row may move twice.
TEXT ·rowsAVX512(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ ds+16(FP), R8
	MOVQ ss+24(FP), R9
	MOVQ n+32(FP), BX
	MOVQ w+40(FP), DX
	SUBQ $64, DX

rowsNext:
	XORQ CX, CX
	JMP  rowsTest

rowsMove:
	VMOVDQU64 (SI)(CX*1), Z0
	VMOVDQU64 Z0, (DI)(CX*1)
	ADDQ      $64, CX

rowsTest:
	CMPQ      CX, DX
	JLT       rowsMove
	VMOVDQU64 (SI)(DX*1), Z0
	VMOVDQU64 Z0, (DI)(DX*1)
	ADDQ      R8, DI
	ADDQ      R9, SI
	DECQ      BX
	JNZ       rowsNext
	VZEROUPPER
	RET

// What the two kernels for tiles share: eight rows of eight values are loaded,
// pairs of rows interleaved, then their 16-byte lanes dealt out twice, and the
// columns stored. In the comments, ab:04 is columns 0 and 4 of rows a and b.

#define LOAD_TILE \
	LEAQ       (SI)(R9*4), AX; \
	LEAQ       (DI)(R8*4), DX; \
	VMOVDQU64  (SI), Z0; \
	VMOVDQU64  (SI)(R9*1), Z1; \
	VMOVDQU64  (SI)(R9*2), Z2; \
	VMOVDQU64  (SI)(R13*1), Z3; \
	VMOVDQU64  (AX), Z4; \
	VMOVDQU64  (AX)(R9*1), Z5; \
	VMOVDQU64  (AX)(R9*2), Z6; \
	VMOVDQU64  (AX)(R13*1), Z7

#define MIX_TILE \
	VUNPCKLPD  Z1, Z0, Z8 /* 01:0246 */; \
	VUNPCKHPD  Z1, Z0, Z9 /* 01:1357 */; \
	VUNPCKLPD  Z3, Z2, Z10 /* 23:0246 */; \
	VUNPCKHPD  Z3, Z2, Z11 /* 23:1357 */; \
	VUNPCKLPD  Z5, Z4, Z12 /* 45:0246 */; \
	VUNPCKHPD  Z5, Z4, Z13 /* 45:1357 */; \
	VUNPCKLPD  Z7, Z6, Z14 /* 67:0246 */; \
	VUNPCKHPD  Z7, Z6, Z15 /* 67:1357 */; \
	VSHUFF64X2 $0x88, Z10, Z8, Z0 /* 01:04 23:04 */; \
	VSHUFF64X2 $0xdd, Z10, Z8, Z1 /* 01:26 23:26 */; \
	VSHUFF64X2 $0x88, Z14, Z12, Z2 /* 45:04 67:04 */; \
	VSHUFF64X2 $0xdd, Z14, Z12, Z3 /* 45:26 67:26 */; \
	VSHUFF64X2 $0x88, Z11, Z9, Z4 /* 01:15 23:15 */; \
	VSHUFF64X2 $0xdd, Z11, Z9, Z5 /* 01:37 23:37 */; \
	VSHUFF64X2 $0x88, Z15, Z13, Z6 /* 45:15 67:15 */; \
	VSHUFF64X2 $0xdd, Z15, Z13, Z7 /* 45:37 67:37 */; \
	VSHUFF64X2 $0x88, Z2, Z0, Z8; \
	VSHUFF64X2 $0x88, Z6, Z4, Z9; \
	VSHUFF64X2 $0x88, Z3, Z1, Z10; \
	VSHUFF64X2 $0x88, Z7, Z5, Z11; \
	VSHUFF64X2 $0xdd, Z2, Z0, Z12; \
	VSHUFF64X2 $0xdd, Z6, Z4, Z13; \
	VSHUFF64X2 $0xdd, Z3, Z1, Z14; \
	VSHUFF64X2 $0xdd, Z7, Z5, Z15

#define STORE_TILE \
	VMOVDQU64  Z8, (DI); \
	VMOVDQU64  Z9, (DI)(R8*1); \
	VMOVDQU64  Z10, (DI)(R8*2); \
	VMOVDQU64  Z11, (DI)(R12*1); \
	VMOVDQU64  Z12, (DX); \
	VMOVDQU64  Z13, (DX)(R8*1); \
	VMOVDQU64  Z14, (DX)(R8*2); \
	VMOVDQU64  Z15, (DX)(R12*1); \
	ADDQ       $64, DI; \
	LEAQ       (SI)(R9*8), SI

// func tilesAVX512(d, s unsafe.Pointer, ds, ss, n int64)
TEXT ·tilesAVX512(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ ds+16(FP), R8
	MOVQ ss+24(FP), R9
	MOVQ n+32(FP), BX
	LEAQ (R8)(R8*2), R12
	LEAQ (R9)(R9*2), R13

tilesNext:
	LOAD_TILE
	MIX_TILE
	STORE_TILE
	DECQ BX
	JNZ  tilesNext
	VZEROUPPER
	RET

// func tilesSwappedAVX512(d, s unsafe.Pointer, ds, ss, n int64, order *[64]byte)
TEXT ·tilesSwappedAVX512(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ ds+16(FP), R8
	MOVQ ss+24(FP), R9
	MOVQ n+32(FP), BX
	LEAQ (R8)(R8*2), R12
	LEAQ (R9)(R9*2), R13
	MOVQ order+40(FP), AX
	VMOVDQU64 (AX), Z16

tilesSwappedNext:
	LOAD_TILE
	VPSHUFB Z16, Z0, Z0
	VPSHUFB Z16, Z1, Z1
	VPSHUFB Z16, Z2, Z2
	VPSHUFB Z16, Z3, Z3
	VPSHUFB Z16, Z4, Z4
	VPSHUFB Z16, Z5, Z5
	VPSHUFB Z16, Z6, Z6
	VPSHUFB Z16, Z7, Z7
	MIX_TILE
	STORE_TILE
	DECQ BX
	JNZ  tilesSwappedNext
	VZEROUPPER
	RET
