package svc_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// prelude precedes examples that are not whole programs.
const prelude = `package main

import (
%s)

func main() {
	ctx := context.Background()
	client := svc.New(svc.Options{URL: "http://localhost:8080/svc"})
%s}
`

var (
	block   = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")
	comment = regexp.MustCompile(`(?m)fmt\.Println\(.*\) // (.*)$`)
)

// TestExamplesPrintWhatTheirCommentsSay executes the examples of the documents.
func TestExamplesPrintWhatTheirCommentsSay(t *testing.T) {
	client, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{"README.md", "../../docs/clients.md"} {
		text := string(must[[]byte](t)(os.ReadFile(document)))
		matches := block.FindAllStringSubmatchIndex(text, -1)
		if len(matches) == 0 {
			t.Fatalf("%s has no examples", document)
		}
		for _, match := range matches {
			line := strings.Count(text[:match[0]], "\n") + 1
			t.Run(fmt.Sprintf("%s:%d", document, line), func(t *testing.T) {
				runExample(t, client, text[match[2]:match[3]])
			})
		}
	}
}

func runExample(t *testing.T, client, source string) {
	t.Helper()
	folder := t.TempDir()
	program := source
	if !strings.HasPrefix(source, "package main") {
		program = fmt.Sprintf(prelude, importsOf(source), source)
	}
	module := "module example\n\ngo 1.24\n\nrequire github.com/svc-grid/svc-go v0.0.0\n\nreplace github.com/svc-grid/svc-go => " + client + "\n"
	for name, text := range map[string]string{
		"main.go": strings.ReplaceAll(program, "http://localhost:8080/svc", openURL),
		"go.mod":  module,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "run", ".")
	command.Dir = folder
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	var expected []string
	for _, match := range comment.FindAllStringSubmatch(source, -1) {
		expected = append(expected, strings.Split(match[1], ", then ")...)
	}
	equal(t, strings.Split(strings.TrimSpace(string(output)), "\n"), expected)
}

// importsOf returns the import lines of the packages that an example uses.
func importsOf(source string) string {
	lines := "\t\"context\"\n"
	for _, name := range []string{"errors", "fmt", "io", "log", "strings"} {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(source) {
			lines += "\t\"" + name + "\"\n"
		}
	}
	return lines + "\n\t\"github.com/svc-grid/svc-go\"\n"
}
