package world_test

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
)

var port = comm.Internal(commport.Key{})
