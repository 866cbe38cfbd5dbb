package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/types"
)

// A wording is the text, the rules and the command that an answer adds to derived
// facts.
type wording struct{ name, text, rules, command string }

// terms lists the words of the standard that are neither routines nor statements.
var terms = []wording{
	{"native", `A data representation: the file contains the bytes of the writing rank's memory, without conversion. Use it if all machines have the same architecture; on another architecture the same bytes mean other values.`, "REP-NAT-01 REP-INT-05 REP-EXT-01", "commworld run examples/source-texts/nativeunlike.mpio"},
	{"internal", `A data representation that all ranks of one world read alike, on any architecture. Each implementation chooses its format: this one uses the format of external32.`, "REP-INTL-01 REP-INTL-02", "commworld run examples/source-texts/internal.mpio"},
	{"external32", `The data representation that all implementations of MPI share: big-endian, IEEE floats, the same sizes on every machine (a long takes 4 bytes). A value that does not fit is an error.`, "REP-X32-01 REP-X32-02 REP-X32-03 REP-X32-09", "commworld run examples/source-texts/unlike.mpio"},
	{"etype", `The elementary type of a view: offsets and file pointers count etypes. An access moves whole etypes.`, "IO-VIEW-04 IO-TM-03 IO-TM-02", `commworld view --ranks 2 --etype int --disp "r*4" --filetype "resized(int, 0, n*4)"`},
	{"filetype", `The type of a view that selects bytes of the file. It is constructed from copies of the etype, and tiles the file without end from the displacement on. The rank does not see the bytes in its holes.`, "IO-VIEW-01 IO-VIEW-05 IO-VIEW-06", `commworld view --ranks 2 --etype int --disp "r*4" --filetype "resized(int, 0, n*4)"`},
	{"portable", `A portable datatype is predefined, or derived from a predefined datatype by constructors that count elements: contiguous, vector, indexed, indexed_block, subarray, dup, darray. Its displacements scale with the sizes of a representation; displacements in bytes (hvector, hindexed, struct, resized) do not.`, "REP-DT-01 REP-DT-02 REP-DT-03 REP-DT-06", `commworld type "vector(2,1,3,long)" --sizes lp64le,external32`},
	{"MPI_LB", `A marker in a struct. It sets the lower bound and takes no bytes, and all types derived from the struct inherit it. If there are several, the lowest one sets the bound. MPI-3.0 removed it from the standard; use MPI_Type_create_resized.`, "DT-DEF-04 DT-DEF-05 DT-RESIZE-04", `commworld type "struct([1,1],[-3,0],[lb,int])"`},
	{"MPI_UB", `A marker in a struct. It sets the upper bound and takes no bytes, and all types derived from the struct inherit it. If there are several, the highest one sets the bound. The same holds under weak markers (docs/source-texts.md, text 004): with the marker at 16 and an int at 100 the upper bound is 16; in MPICH 4.0 it is 104. MPI-3.0 removed it from the standard; use MPI_Type_create_resized.`, "DT-DEF-04 DT-DEF-05 DT-RESIZE-04 DT-SEED-02", `commworld type "struct([1,1],[0,16],[int,ub])"`},
}

// predefined explains predefined datatypes that have special rules.
var predefined = []wording{
	{"MPI_BYTE", `An uninterpreted byte: it is moved unchanged, and the memory may contain values of any type. As an etype it matches any datatype; in a message it matches BYTE and PACKED only.`, "P2P-MATCH-05 P2P-MATCH-06 P2P-MATCH-08 IO-TM-02 IO-TM-06", "commworld run examples/source-texts/bytesunlike.mpio"},
	{"MPI_PACKED", `A byte of data that MPI_Pack has packed, or that MPI_Unpack will unpack. It matches any datatype. If ranks differ in byte order, call MPI_Pack for data that the receiver will unpack: data sent as PACKED without MPI_Pack stay in the sender's byte order.`, "P2P-MATCH-05 P2P-MATCH-07 PK-01 IO-TM-08", "commworld run examples/source-texts/packed.mpio"},
	{"MPI_INT", `It matches MPI_INT only, not MPI_INT32_T or MPI_INTEGER, even if they have the same size.`, "P2P-MATCH-02 P2P-MATCH-11", "commworld run examples/source-texts/sizesequal.mpio"},
}

// term explains a word of the standard, or a predefined datatype by its MPI name.
func term(name string) *Answer {
	for _, w := range terms {
		if w.name == name || strings.HasPrefix(w.name, "MPI_") && strings.EqualFold(w.name, name) {
			a := &Answer{Name: w.name, Sort: "term"}
			if strings.HasPrefix(w.name, "MPI_") {
				a.Sort = "marker"
			}
			return a.worded(w)
		}
	}
	for _, k := range types.Kinds() {
		if !strings.EqualFold(k.MPI(), name) {
			continue
		}
		a := &Answer{Name: k.MPI(), Sort: "datatype", Text: []string{fmt.Sprintf("A predefined datatype, in scripts and type expressions %s.", k)}}
		if n := goName("types." + k.String()); n != nil {
			a.fact("Go", n.Name)
		}
		w := wording{rules: "P2P-MATCH-02", command: "commworld type " + k.String() + " --sizes lp64le,ilp32be,external32"}
		if i := slices.IndexFunc(predefined, func(w wording) bool { return w.name == k.MPI() }); i >= 0 {
			a.fact("sizes", w.command)
			w = predefined[i]
		}
		return a.worded(w)
	}
	return nil
}

// worded adds a wording to an answer.
func (a *Answer) worded(w wording) *Answer {
	if w.text != "" {
		a.Text = append(a.Text, w.text)
	}
	for id := range strings.FieldsSeq(w.rules) {
		a.fact("rule", id+" "+titleOf(id))
	}
	a.fact("see", w.command)
	return a
}

// termNames returns the names that term knows.
func termNames() (all []string) {
	for _, w := range terms {
		all = append(all, w.name)
	}
	for _, k := range types.Kinds() {
		all = append(all, k.MPI())
	}
	return all
}
