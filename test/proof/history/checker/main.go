// Checker reads recorded histories and reports whether each key behaved like a single copy of its data
// (linearizability).
//
// Usage: checker FILE...
//
// Each line of a file is one operation, with fields separated by tabs:
//
//	key  client  call  return  operation  argument  expected  result
//
// Times are nanoseconds of one clock; a return of -1 means that there was no answer, so the operation may have happened
// at any time after its call, or never. Texts are JSON strings or null. The checker prints one JSON object and exits
// with 0 when every key is linearizable, with 1 when one is not, and with 2 when a file cannot be read or a key takes
// longer than the limit.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// perKeyLimit bounds the search for one key.
const perKeyLimit = 60 * time.Second

type input struct {
	operation string
	argument  *string
	expected  *string
}

type output struct {
	// known is false when no answer came.
	known  bool
	result *string
}

// absent is the state of a key without a value. States are strings so that Porcupine can compare them quickly.
const absent = "\x00"

func text(state string) *string {
	if state == absent {
		return nil
	}
	return &state
}

func same(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func word(holds bool) *string {
	result := strconv.FormatBool(holds)
	return &result
}

// apply returns the state after an operation and the answer that it must have.
func apply(state string, in input) (string, *string) {
	exists := state != absent
	switch in.operation {
	case "read":
		return state, text(state)
	case "put":
		return *in.argument, word(true)
	case "getput":
		return *in.argument, text(state)
	case "putifabs":
		if exists {
			return state, word(false)
		}
		return *in.argument, word(true)
	case "replace":
		if !exists {
			return state, word(false)
		}
		return *in.argument, word(true)
	case "cas":
		if exists && state == *in.expected {
			return *in.argument, word(true)
		}
		return state, word(false)
	case "rmv":
		return absent, word(exists)
	case "getrmv":
		return absent, text(state)
	case "incr":
		value := int64(0)
		if exists {
			value = number(state)
		}
		sum := strconv.FormatInt(value+number(*in.argument), 10)
		return sum, &sum
	}
	panic("an operation that the model does not have: " + in.operation)
}

func number(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

var model = porcupine.Model{
	Init: func() interface{} { return absent },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		after, answer := apply(state.(string), in.(input))
		given := out.(output)
		return !given.known || same(given.result, answer), after
	},
	DescribeOperation: func(in, out interface{}) string {
		i, o := in.(input), out.(output)
		return fmt.Sprintf("%s(%s, %s) -> %s", i.operation, show(i.argument), show(i.expected), show(o.result))
	},
}

func show(text *string) string {
	if text == nil {
		return "null"
	}
	return strconv.Quote(*text)
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: checker FILE...")
		os.Exit(2)
	}
	histories := map[string][]porcupine.Operation{}
	operations := 0
	for _, path := range os.Args[1:] {
		count, err := read(path, histories)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(2)
		}
		operations += count
	}
	os.Exit(check(histories, operations))
}

func check(histories map[string][]porcupine.Operation, operations int) int {
	keys := make([]string, 0, len(histories))
	longest := 0
	for key, history := range histories {
		keys = append(keys, key)
		longest = max(longest, len(history))
	}
	sort.Strings(keys)
	results := judge(keys, histories)
	rejected, unknown := []string{}, []string{}
	slowest := verdict{}
	for index, key := range keys {
		switch results[index].result {
		case porcupine.Illegal:
			rejected = append(rejected, key)
			explain(key, histories[key])
		case porcupine.Unknown:
			unknown = append(unknown, key)
		}
		if results[index].took > slowest.took {
			slowest = results[index]
		}
	}
	report, err := json.Marshal(map[string]interface{}{
		"operations": operations, "keys": len(keys), "longest": longest, "rejected": rejected, "unknown": unknown,
		"slowestKeyMs": slowest.took.Milliseconds(),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(report))
	if len(rejected) > 0 {
		return 1
	}
	if len(unknown) > 0 {
		return 2
	}
	return 0
}

// verdict is the result for one key and the time that the search for it took.
type verdict struct {
	result porcupine.CheckResult
	took   time.Duration
}

// judge checks the keys, one per processor at a time.
func judge(keys []string, histories map[string][]porcupine.Operation) []verdict {
	results := make([]verdict, len(keys))
	indexes := make(chan int)
	var running sync.WaitGroup
	for worker := 0; worker < runtime.NumCPU(); worker++ {
		running.Add(1)
		go func() {
			defer running.Done()
			for index := range indexes {
				start := time.Now()
				result := porcupine.CheckOperationsTimeout(model, histories[keys[index]], perKeyLimit)
				results[index] = verdict{result, time.Since(start)}
			}
		}()
	}
	for index := range keys {
		indexes <- index
	}
	close(indexes)
	running.Wait()
	return results
}

// explain writes a page that shows how far the history of a key could be followed.
func explain(key string, history []porcupine.Operation) {
	folder := os.Getenv("CHECKER_PAGES")
	if folder == "" {
		return
	}
	_, info := porcupine.CheckOperationsVerbose(model, history, perKeyLimit)
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == ':' {
			return '-'
		}
		return r
	}, key)
	if err := porcupine.VisualizePath(model, info, folder+"/"+name+".html"); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func read(path string, histories map[string][]porcupine.Operation) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	count := 0
	for lines.Scan() {
		key, operation, err := parse(lines.Text())
		if err != nil {
			return count, fmt.Errorf("line %d: %w", count+1, err)
		}
		histories[key] = append(histories[key], operation)
		count++
	}
	return count, lines.Err()
}

func parse(line string) (string, porcupine.Operation, error) {
	var none porcupine.Operation
	fields := strings.Split(line, "\t")
	if len(fields) != 8 {
		return "", none, fmt.Errorf("%d fields instead of 8", len(fields))
	}
	numbers := make([]int64, 3)
	for index := range numbers {
		value, err := strconv.ParseInt(fields[index+1], 10, 64)
		if err != nil {
			return "", none, err
		}
		numbers[index] = value
	}
	texts := make([]*string, 3)
	for index := range texts {
		if err := json.Unmarshal([]byte(fields[index+5]), &texts[index]); err != nil {
			return "", none, err
		}
	}
	known := numbers[2] >= 0
	if !known {
		numbers[2] = math.MaxInt64
	}
	return fields[0], porcupine.Operation{
		ClientId: int(numbers[0]),
		Call:     numbers[1],
		Return:   numbers[2],
		Input:    input{fields[4], texts[0], texts[1]},
		Output:   output{known, texts[2]},
	}, nil
}
