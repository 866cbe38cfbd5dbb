package iofile

import "syscall"

// largeFile opens files beyond 2 GiB where the system has two sorts of files:
// os.OpenFile asks for it by itself, an os.Root does not.
const largeFile = syscall.O_LARGEFILE
