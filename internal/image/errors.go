package image

import (
	"errors"

	"github.com/commworld/commworld/errclass"
)

// failed returns an error of a backing as one of this package, of the same class.
func failed(op string, err error) error {
	if err == nil {
		return nil
	}
	var c errclass.Class
	if !errors.As(err, &c) {
		c = errclass.IO
	}
	return &errclass.Error{Pkg: "image", Op: op, Rank: errclass.NoRank, Class: c, Err: err}
}
