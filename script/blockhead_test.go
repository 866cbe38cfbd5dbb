package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBlockHead(t *testing.T) {
	for line, want := range map[string]string{
		"all:": "all:", "  all : sync h": "all :", "\t0, 2-3:": "0, 2-3:", "12\t: barrier": "12\t:", "0:\r": "0:",
		"": "", ":": "", "all": "", "repeat 3:": "", "0 x:": "", "-1:": "", "file f = \"a:b\"": "", "  write_at h 0 int 1": "", "all 0:": "",
	} {
		assert.Equal(t, want, blockHead(line), "%q", line)
	}
}
