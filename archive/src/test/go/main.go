// SPDX-License-Identifier: Apache-2.0

// Checks an archive with Go's own implementation of tiled logs and signed notes: golang.org/x/mod/sumdb/{tlog,note}.
//
//	check ARCHIVE KEY PROOF..
//
// It verifies the signature of the head, the hash of every leaf and every tile, inclusion of a sample of leaves, consistency
// with smaller trees, and proofs that burstlog-archive printed. It knows nothing of the leaves but that they are bytes.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const width = 256

// must ends the program: what it met is a difference, or an archive that cannot be read.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// number is the path of tile n, as C2SP tlog-tiles has it.
func number(n int64) string {
	path := fmt.Sprintf("%03d", n%1000)
	for n /= 1000; n > 0; n /= 1000 {
		path = fmt.Sprintf("x%03d/%s", n%1000, path)
	}
	return path
}

func partial(w int) string {
	if w == width {
		return ""
	}
	return ".p/" + strconv.Itoa(w)
}

// readTile reads the first w entries of a tile; a copy may have it as it was later, when it was full. Says whether it was.
func readTile(folder, path string, w int) ([]byte, bool, error) {
	data, err := os.ReadFile(filepath.Join(folder, path+partial(w)))
	if !errors.Is(err, fs.ErrNotExist) {
		return data, false, err
	}
	data, err = os.ReadFile(filepath.Join(folder, path))
	return data, true, err
}

type tiles struct{ folder string }

func (tiles) Height() int { return 8 }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var read [][]byte
	for _, each := range wanted {
		data, isLater, err := readTile(t.folder, fmt.Sprintf("tile/%d/%s", each.L, number(each.N)), each.W)
		if err != nil {
			return nil, err
		}
		if isLater {
			data = data[:each.W*tlog.HashSize]
		}
		read = append(read, data)
	}
	return read, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func head(text []byte, verifier note.Verifier) tlog.Tree {
	opened := must(note.Open(text, note.VerifierList(verifier)))
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != verifier.Name() {
		log.Fatalf("the origin is %s, the key is of %s", lines[0], verifier.Name())
	}
	size := must(strconv.ParseInt(lines[1], 10, 64))
	var root tlog.Hash
	copy(root[:], must(base64.StdEncoding.DecodeString(lines[2])))
	return tlog.Tree{N: size, Hash: root}
}

func leaves(folder string, tree tlog.Tree) []tlog.Hash {
	var hashes []tlog.Hash
	for first := int64(0); first < tree.N; first += width {
		w := int(min(width, tree.N-first))
		bundle, isLater, err := readTile(folder, "tile/entries/"+number(first/width), w)
		must(bundle, err)
		for i := 0; i < w; i++ {
			length := int(binary.BigEndian.Uint16(bundle))
			hashes = append(hashes, tlog.RecordHash(bundle[2:2+length]))
			bundle = bundle[2+length:]
		}
		if len(bundle) > 0 && !isLater {
			log.Fatalf("bundle %d has bytes behind its leaves", first/width)
		}
	}
	return hashes
}

// checkProof verifies a C2SP tlog-proof, whose extra line is the leaf.
func checkProof(name string, verifier note.Verifier) {
	parts := bytes.SplitN(must(os.ReadFile(name)), []byte("\n\n"), 2)
	lines := strings.Split(string(parts[0]), "\n")
	if lines[0] != "c2sp.org/tlog-proof@v1" {
		log.Fatalf("%s begins with %s", name, lines[0])
	}
	leaf := must(base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra ")))
	index := must(strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64))
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		var hash tlog.Hash
		copy(hash[:], must(base64.StdEncoding.DecodeString(line)))
		proof = append(proof, hash)
	}
	tree := head(parts[1], verifier)
	if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(leaf)); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
}

func main() {
	log.SetFlags(0)
	folder := os.Args[1]
	verifier := must(note.NewVerifier(os.Args[2]))
	tree := head(must(os.ReadFile(filepath.Join(folder, "checkpoint"))), verifier)
	reader := tlog.TileHashReader(tree, tiles{folder})
	all := leaves(folder, tree)
	for index, own := range all {
		// The reader proves each tile that it reads against the root.
		if read := must(reader.ReadHashes([]int64{tlog.StoredHashIndex(0, int64(index))})); read[0] != own {
			log.Fatalf("leaf %d has another hash in its tile", index)
		}
	}
	proofs := 0
	for index := int64(0); index < tree.N; index += 1 + tree.N/97 {
		proof := must(tlog.ProveRecord(tree.N, index, reader))
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, all[index]); err != nil {
			log.Fatal(err)
		}
		proofs++
	}
	for size := int64(1); size < tree.N; size += 1 + tree.N/53 {
		root := must(tlog.TreeHash(size, reader))
		proof := must(tlog.ProveTree(tree.N, size, reader))
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, size, root); err != nil {
			log.Fatal(err)
		}
		proofs++
	}
	for _, name := range os.Args[3:] {
		checkProof(name, verifier)
		proofs++
	}
	fmt.Printf("%d leaves, %d proofs: as Go's tlog and note have them\n", tree.N, proofs)
}
