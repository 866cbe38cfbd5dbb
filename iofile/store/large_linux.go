package store

import "syscall"

// largeFile opens files beyond 2 GiB on systems that need a flag for that: os.OpenFile sets
// it, an os.Root does not.
const largeFile = syscall.O_LARGEFILE
