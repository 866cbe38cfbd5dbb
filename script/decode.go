package script

import (
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf16"
)

// Decode returns the text of a script's file: UTF-8, or UTF-16 with a byte order mark, as
// Windows PowerShell writes. The mark is left out. UTF-16 with half a character is an error.
func Decode(file []byte) (string, error) {
	var order binary.ByteOrder
	switch {
	case strings.HasPrefix(string(file[:min(2, len(file))]), "\xff\xfe"):
		order = binary.LittleEndian
	case strings.HasPrefix(string(file[:min(2, len(file))]), "\xfe\xff"):
		order = binary.BigEndian
	default:
		return strings.TrimPrefix(string(file), "\xef\xbb\xbf"), nil
	}
	if len(file)%2 != 0 {
		return "", errors.New("the file begins as UTF-16, but has an odd number of bytes: save it as UTF-8")
	}
	var units []uint16
	for at := 2; at < len(file); at += 2 {
		units = append(units, order.Uint16(file[at:]))
	}
	return string(utf16.Decode(units)), nil
}
