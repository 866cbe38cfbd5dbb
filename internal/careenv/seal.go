//go:build !js

package careenv

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// KeyBytes is the length of a key.
const KeyBytes = 32

// key is nil unless records are sealed. Nothing else refers to it, so that a program cannot
// print it.
var key = readKey()

// readKey reads the key from standard input, which has nothing else.
func readKey() []byte {
	if !has(initial, WordSealed) {
		return nil
	}
	k := make([]byte, KeyBytes)
	if _, err := io.ReadFull(os.Stdin, k); err != nil {
		return nil
	}
	return k
}

var sealing struct {
	sync.Mutex
	number int
}

// Seal calls write with the line for a record: in a process without a key, the record
// itself; otherwise with its number and a code before it, which show that a world of the
// process wrote it. Calls follow each other.
func Seal(record []byte, write func(line []byte)) {
	sealing.Lock()
	defer sealing.Unlock()
	if key == nil {
		write(record)
		return
	}
	sealing.number++
	text := strconv.Itoa(sealing.number) + " " + string(record)
	write([]byte(code(key, text) + " " + text))
}

func code(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// Unseal returns the record in a line, which must be the one with the given number.
func Unseal(key []byte, number int, line []byte) (record []byte, err error) {
	sum, text, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
	if !hmac.Equal([]byte(sum), []byte(code(key, text))) {
		return nil, fmt.Errorf("line %d was not written by a world", number)
	}
	have, rest, _ := strings.Cut(text, " ")
	if have != strconv.Itoa(number) {
		return nil, fmt.Errorf("line %d is record %s", number, have)
	}
	return []byte(rest), nil
}
