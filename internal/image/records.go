package image

// records is a list of records that never moves its elements, except the first few: copying
// a long list as it grows costs more than filling it.
type records struct {
	blocks [][]record
	n      int
}

const (
	blockShift = 8
	blockSize  = 1 << blockShift
	keptBlocks = 16 // blocks that an emptied list keeps
)

func (l *records) at(i int) *record { return &l.blocks[i>>blockShift][i&(blockSize-1)] }

func (l *records) add(r record) {
	k := l.n >> blockShift
	if k == len(l.blocks) {
		var b []record
		if k > 0 {
			b = make([]record, 0, blockSize)
		}
		l.blocks = append(l.blocks, b)
	}
	l.blocks[k] = append(l.blocks[k], r)
	l.n++
}

// cutTo drops all records from number n on, and the memory they refer to.
func (l *records) cutTo(n int) {
	for k := len(l.blocks) - 1; k >= 0 && k<<blockShift+len(l.blocks[k]) > n; k-- {
		b, keep := l.blocks[k], max(0, n-k<<blockShift)
		clear(b[keep:])
		l.blocks[k] = b[:keep]
		if k >= keptBlocks && keep == 0 {
			l.blocks = l.blocks[:k]
		}
	}
	l.n = n
}
