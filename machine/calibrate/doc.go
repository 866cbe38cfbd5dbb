// Package calibrate fits a machine of the model to the output of IOR runs on a real one.
//
// Start here: [Read] reads what ior prints, as text or as JSON (-O summaryFormat=JSON); [Fit] changes a machine until
// the model's bandwidths of these runs come as near to the measured ones as they can.
package calibrate
