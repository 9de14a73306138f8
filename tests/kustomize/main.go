// kustomize builds trees of files: it reads one a line, {"files": {path: content}, "at": folder}, and answers each with
// a line, {"objects": [...]} or {"error": "..."}. Nothing is read from the disk, and no plugin is run.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

type tree struct {
	Files map[string]string `json:"files"`
	At    string            `json:"at"`
}

type answer struct {
	Objects []json.RawMessage `json:"objects"`
	Error   string            `json:"error,omitempty"`
}

func build(asked tree) (result answer) {
	defer func() {
		if fault := recover(); fault != nil {
			result = answer{Error: fmt.Sprint("panic: ", fault)}
		}
	}()
	disk := filesys.MakeFsInMemory()
	for name, content := range asked.Files {
		if err := disk.MkdirAll(path.Dir(path.Join("/tree", name))); err != nil {
			return answer{Error: err.Error()}
		}
		if err := disk.WriteFile(path.Join("/tree", name), []byte(content)); err != nil {
			return answer{Error: err.Error()}
		}
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, path.Join("/tree", asked.At))
	if err != nil {
		return answer{Error: err.Error()}
	}
	result.Objects = []json.RawMessage{}
	for _, object := range built.Resources() {
		data, err := object.MarshalJSON()
		if err != nil {
			return answer{Error: err.Error()}
		}
		result.Objects = append(result.Objects, data)
	}
	return result
}

func main() {
	out := json.NewEncoder(os.Stdout)
	decoder := json.NewDecoder(bufio.NewReader(os.Stdin))
	for decoder.More() {
		var asked tree
		if err := decoder.Decode(&asked); err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(build(asked)); err != nil {
			log.Fatal(err)
		}
	}
}
