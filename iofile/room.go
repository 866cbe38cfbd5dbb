package iofile

// roomFor returns n bytes, or an error if there is not enough memory. A sparse file can
// easily be larger than all memory, and a process does not survive running out of memory:
// the system gives out more than it has, and kills the process when the memory is used. So
// the free memory is checked first.
func roomFor(n int64) (p []byte, err error) {
	if err := roomIn(n); err != nil {
		return nil, err
	}
	defer func() { // make panics if fewer bytes can be addressed than are free
		if r := recover(); r != nil {
			err = broken(ErrNoMem, "REP-INT-02", "no room for the %d bytes of the file (%v); read it in parts", n, r)
		}
	}()
	return make([]byte, n), nil
}

// roomIn returns an error if there is no memory for n bytes.
func roomIn(n int64) error {
	const small = 64 << 20 // below this no check is necessary
	if n > small {
		if most := freeMemory(); n > most {
			return broken(ErrNoMem, "IO-DA-16", "there are %d bytes to read and there is room for %d; read them in parts", n, most)
		}
	}
	return nil
}
