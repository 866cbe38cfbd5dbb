// Package records is a small library over iofile, as PnetCDF is one over MPI-IO: it
// keeps arrays of any number of dimensions in files of the classic NetCDF formats
// (CDF-1, CDF-2, CDF-5), which ncdump and other programs read. The first dimension
// of an array may grow record by record.
//
// Start here: a program that writes one record.
//
//	d, err := records.Create(c, fsys, "out.nc", records.CDF5)     // define mode
//	time, _ := d.DefDim("time", records.Growing)
//	x, _ := d.DefDim("x", 100)
//	heat, _ := d.DefVar("heat", types.Double, []int{time, x}, records.Text("units", "K"))
//	err = d.EndDef()                                               // data mode
//	_, err = d.PutAll(heat, records.Region{Start: []int64{0, 10 * rank}, Count: []int64{1, 10}}, types.Of(mine))
//	err = d.Close()
//
// It is an example of testing a library with this module: README.md lists bugs that can be
// switched on, and the tools that find them.
//
// PnetCDF has features that this package does not have: fill values (here, elements that no
// rank wrote are zero or undefined), conversion between types of memory and file,
// nonblocking and buffered calls, and the two data modes: independent and collective
// accesses may be mixed, because both go through one file handle.
//
// # Map
//
//   - header.go: the header of a file, to bytes and back
//   - dataset.go: opening, defining, syncing, closing
//   - access.go: reading and writing regions
//   - region.go: the bytes of the file in a region
//   - bugs.go: deliberate bugs, for tests of the tools
package records
