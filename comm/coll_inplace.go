package comm

// distinct reports an error if a buffer is both read and written, because it could be read
// after it was written.
func (k *call) distinct() {
	if k.err == nil && !k.givesInPlace && k.send.shares(&k.sends, &k.recv, &k.recvs) {
		k.err = broken(ErrBuffer, "COLL-01", "the buffers sent from and received into share memory; copy one of them, or say InPlace where the call allows it")
	}
}

// fromOutput makes the current contents of the output buffer the input. The buffer is
// written before all of it has been read, so putAside copies it first.
func (k *call) fromOutput() {
	if k.err != nil {
		return
	}
	k.inPlace, k.givesInPlace, k.sends = true, true, k.recvs
	if k.recvs.how != apart {
		k.send.packedAs(&k.recv, nil)
		return
	}
	k.sends.each = make([]data, len(k.recvs.each))
	for i := range k.sends.each {
		k.sends.each[i].packedAs(&k.recvs.each[i], nil)
	}
}

func (k *call) putAside() {
	if !k.inPlace || k.err != nil || k.comm.core.native != nil {
		return
	}
	if k.sends.how != apart {
		k.send.copyOf(&k.recv)
	}
	for i := range k.sends.each {
		k.sends.each[i].copyOf(&k.recvs.each[i])
	}
}

// copyOf makes d, which is packed, a copy of o.
func (d *data) copyOf(o *data) {
	if o.filled() {
		buf := *o.buf
		d.laid, d.buf = true, &buf
		return
	}
	d.flat = make([]byte, o.size())
	o.pack(d.flat)
}
