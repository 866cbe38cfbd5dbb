package gen

import (
	"fmt"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// KeyBytes returns the key that a rank uses in an operation on a key-value store: of a PutAll,
// Key with the rank's number behind it.
func (o *Op) KeyBytes(rank int) []byte {
	if o.Do == PutAll {
		return fmt.Appendf(nil, "%s%d", o.Key, rank)
	}
	return []byte(o.Key)
}

// storeKeys are keys that stores confuse: one the begin of another, with separators, NUL,
// bytes that are not UTF-8, in upper and lower case, long ones that differ at the end.
var storeKeys = []string{
	"a", "ab", "a/b", "a/", "A", "a\x00", "a\x00b", "a b", "a.", "\xff", "\xff\xfe", "a1", "a10", "%61", "../a",
	strings.Repeat("k", 300) + "1", strings.Repeat("k", 300) + "2",
}

// A StoreUse has the features that programs for a key-value store may use.
type StoreUse struct {
	Lists, Together bool // Keys, PutAll
	Two             bool // ranks have a second store open
	Cuts            bool // of the power
	Own             []OwnOp
}

// StorePrograms draws programs for a key-value store that ranks use together: puts, gets,
// deletes, syncs, reopens. Of l, they use the numbers of ranks and operations, and Exact.
func StorePrograms(l Limits, use StoreUse) *rapid.Generator[*Program] {
	menu := []Do{Put, Get, Sync, Put, Get, Delete, Sync, Reopen}
	if use.Lists {
		menu = append(menu, Keys, Keys)
	}
	if use.Together {
		menu = append(menu, PutAll, PutAll)
	}
	if len(use.Own) > 0 {
		menu = append(menu, Own, Own)
	}
	return rapid.Custom(func(t *rapid.T) *Program {
		p := &Program{Ranks: l.drawRanks(t)}
		if use.Two {
			p.Second = OtherFile
		}
		keys := rapid.SliceOfN(rapid.SampledFrom(storeKeys), 1, 3).Draw(t, "keys")
		one := rapid.Custom(func(t *rapid.T) Op { return drawStoreOp(t, p, menu, keys, use) })
		least, most := 1, max(1, l.Ops)
		if l.Exact {
			least = most
		}
		p.Ops = rapid.SliceOfN(one, least, most).Draw(t, "ops")
		if use.Cuts {
			p.drawCuts(t)
		}
		p.Seed = rapid.Uint64().Draw(t, "schedule")
		if rapid.IntRange(0, 9).Draw(t, "run") == 9 {
			p.Schedule = "pct:3:1"
		}
		return p
	})
}

// lengths of values.
var lengths = []int64{5, 1, 2, 3, 8, 16, 31, 64, 200, 1000, 4096, 70000, 0}

func drawStoreOp(t *rapid.T, p *Program, menu []Do, keys []string, use StoreUse) Op {
	o := Op{Do: rapid.SampledFrom(menu).Draw(t, "what"), Second: use.Two && rapid.Bool().Draw(t, "second")}
	o.All = o.Do < Put || o.Do == PutAll
	if o.Do == Own {
		own := rapid.SampledFrom(use.Own).Draw(t, "operation")
		o.Name, o.Effect, o.All = own.Name, own.Effect, !own.Alone
	}
	if !o.All {
		o.Rank = rapid.IntRange(0, p.Ranks-1).Draw(t, "rank")
	}
	switch o.Do {
	case Put, PutAll:
		o.Values = Values(uniform(t, "values", int(values)))
		o.N = lengths[min(rapid.IntRange(0, 2*len(lengths)).Draw(t, "length")/2, len(lengths)-1)]
		o.Key = rapid.SampledFrom(keys).Draw(t, "key")
	case Get, Delete:
		o.Key = rapid.SampledFrom(keys).Draw(t, "key")
		if use.Together && rapid.Bool().Draw(t, "of one rank") {
			o.Key += fmt.Sprint(rapid.IntRange(0, p.Ranks-1).Draw(t, "whose"))
		}
	}
	return o
}

// storeCall returns the call of an operation on a store.
func (o *Op) storeCall() string {
	name := storeCalls[o.Do]
	switch o.Do {
	case Put, PutAll:
		return fmt.Sprintf("%s %s, %d %v", name, quotedKey(o.Key), o.N, o.Values)
	case Get, Delete:
		return name + " " + quotedKey(o.Key)
	}
	return name
}

var storeCalls = map[Do]string{Put: "put", Get: "get", Delete: "delete", PutAll: "put_all", Keys: "keys"}

// QuotedKey quotes a key. A run of a letter, as long keys have, is "k" x 300.
func QuotedKey(key string) string { return quotedKey(key) }

func quotedKey(key string) string {
	const long = 32
	for at := 0; at < len(key); at++ {
		n := at + 1
		for n < len(key) && key[n] == key[at] {
			n++
		}
		if n-at < long {
			continue
		}
		s := fmt.Sprintf("%q x %d", key[at:at+1], n-at)
		if at > 0 {
			s = fmt.Sprintf("%q + %s", key[:at], s)
		}
		if n < len(key) {
			s += " + " + quotedKey(key[n:])
		}
		return s
	}
	return fmt.Sprintf("%q", key)
}

// readKey reads a quoted key from the begin of a text, and returns the rest.
func readKey(text string) (key, rest string, err error) {
	for {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return "", "", fmt.Errorf("%q does not begin with a key in quotes", text)
		}
		piece, err := strconv.Unquote(quoted)
		if err != nil {
			return "", "", err
		}
		text = text[len(quoted):]
		times := 1
		if after, ok := strings.CutPrefix(text, " x "); ok {
			digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
			if times, err = strconv.Atoi(digits); err != nil || times > 1<<16 {
				return "", "", fmt.Errorf("%q: want a number of at most 65536 after x", text)
			}
			text = after[len(digits):]
		}
		key += strings.Repeat(piece, times)
		after, more := strings.CutPrefix(text, " + ")
		if !more {
			return key, text, nil
		}
		text = after
	}
}

// readStore reads the call of an operation on a store.
func (o *Op) readStore(do Do, rest string) (err error) {
	o.Do = do
	if do == Keys {
		return nil
	}
	if o.Key, rest, err = readKey(rest); err != nil {
		return err
	}
	if do != Put && do != PutAll {
		return nil
	}
	n, name, _ := strings.Cut(strings.TrimPrefix(rest, ", "), " ")
	if o.N, err = strconv.ParseInt(n, 10, 64); err != nil || o.N < 0 || o.N > 1<<24 {
		return fmt.Errorf("%q: want the length and the kind of the value, such as %q", rest, ", 4 marks")
	}
	o.Values, err = valuesOf(name)
	return err
}

// storeCallOf returns the operation on a store that a word names.
func storeCallOf(word string) (Do, bool) {
	for do, name := range storeCalls {
		if name == word {
			return do, true
		}
	}
	return 0, false
}

// allowsStore reports whether an operation on a store is one.
func (o *Op) allowsStore() bool { return o.All == (o.Do == PutAll) && (o.Key != "" || o.Do == Keys) }

// simplerKey gives the operation the first key that stores have no trouble with.
func (o *Op) simplerKey() bool {
	was := o.Key
	if was != "" {
		o.Key = storeKeys[0]
	}
	return was != o.Key
}
