package iofile

// freeMemory returns how many bytes this program may still use: a browser does not say,
// and gives at most this.
func freeMemory() int64 { return 1 << 31 }
