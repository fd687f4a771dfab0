// Command conformance checks a ledger with the Go implementation of signed notes and transparency logs,
// which shares no code with ours: the signature of its checkpoint, and the root over its lines.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type hashes []tlog.Hash

func (h hashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, 0, len(indexes))
	for _, i := range indexes {
		if i < 0 || i >= int64(len(h)) {
			return nil, fmt.Errorf("no hash %d", i)
		}
		out = append(out, h[i])
	}
	return out, nil
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	size, root, err := checkpoint(dir)
	if err != nil {
		return err
	}
	stored, lines, err := store(dir)
	if err != nil {
		return err
	}
	if lines < size {
		return fmt.Errorf("%d lines, checkpoint of %d", lines, size)
	}
	found, err := tlog.TreeHash(size, stored)
	if err != nil {
		return err
	}
	if found != root {
		return fmt.Errorf("root is %v, checkpoint says %v", found, root)
	}
	tiles, err := checkTiles(dir, size, stored)
	if err != nil {
		return err
	}
	fmt.Printf("ok size=%d root=%v tiles=%d\n", size, root, tiles)
	return nil
}

func checkpoint(dir string) (int64, tlog.Hash, error) {
	vkey, err := os.ReadFile(filepath.Join(dir, "log.vkey"))
	if err != nil {
		return 0, tlog.Hash{}, err
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(vkey)))
	if err != nil {
		return 0, tlog.Hash{}, err
	}
	msg, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if err != nil {
		return 0, tlog.Hash{}, err
	}
	opened, err := note.Open(msg, note.VerifierList(verifier))
	if err != nil {
		return 0, tlog.Hash{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		return 0, tlog.Hash{}, fmt.Errorf("not a checkpoint of %s", verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return 0, tlog.Hash{}, err
	}
	bytes, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(bytes) != tlog.HashSize {
		return 0, tlog.Hash{}, fmt.Errorf("bad root %q", lines[2])
	}
	return size, tlog.Hash(bytes), nil
}

func store(dir string) (hashes, int64, error) {
	names, err := filepath.Glob(filepath.Join(dir, "segments", "*.jsonl"))
	if err != nil {
		return nil, 0, err
	}
	sort.Strings(names)
	var stored hashes
	var count int64
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return nil, 0, err
		}
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			more, err := tlog.StoredHashes(count, scanner.Bytes(), stored)
			if err != nil {
				return nil, 0, err
			}
			stored = append(stored, more...)
			count++
		}
		file.Close()
		if err := scanner.Err(); err != nil {
			return nil, 0, err
		}
	}
	return stored, count, nil
}

// checkTiles holds every tile of a tree of this size against the files. Go's tiles carry their height in
// their path (`tile/8/…`), tlog-tiles' do not.
func checkTiles(dir string, size int64, stored hashes) (int, error) {
	const height = 8
	all := tlog.NewTiles(height, 0, size)
	for _, tile := range all {
		want, err := tlog.ReadTileData(tile, stored)
		if err != nil {
			return 0, err
		}
		path := "tile/" + strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", height))
		have, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return 0, err
		}
		if !bytes.Equal(want, have) {
			return 0, fmt.Errorf("%s differs", path)
		}
	}
	return len(all), nil
}
