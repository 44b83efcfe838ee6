// Executes calls of the client: reads a line of JSON for each, and writes one with its result or its error.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"strings"

	svc "github.com/svc-grid/svc-go"
)

type task struct {
	Method     string
	Parameters map[string]any
}

func main() {
	client := svc.New(svc.Options{URL: os.Args[1]})
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		var next task
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&next); err != nil {
			panic(err)
		}
		answer := map[string]any{}
		result, err := execute(client, next.Method, own(next.Parameters).(map[string]any))
		if err == nil {
			answer["result"] = result
		} else {
			answer["error"] = err.Error()
		}
		if err := answers.Encode(answer); err != nil {
			panic(err)
		}
	}
}

func execute(client *svc.Client, method string, parameters map[string]any) (any, error) {
	ctx := context.Background()
	found := []any{}
	switch method {
	case "query":
		for row, err := range client.Query(ctx, parameters["qry"].(string), svc.QueryOptions{}) {
			if err != nil {
				return nil, err
			}
			found = append(found, row)
		}
		return found, nil
	case "scan":
		for entry, err := range client.Scan(ctx, svc.ScanOptions{CacheName: parameters["cacheName"].(string)}) {
			if err != nil {
				return nil, err
			}
			found = append(found, map[string]any{"key": entry.Key, "value": entry.Value})
		}
		return found, nil
	}
	return client.Call(ctx, method, parameters)
}

// own returns a value with the numbers that programs have.
func own(value any) any {
	switch value := value.(type) {
	case json.Number:
		return number(value)
	case []any:
		for at, each := range value {
			value[at] = own(each)
		}
	case map[string]any:
		for name, each := range value {
			value[name] = own(each)
		}
	}
	return value
}

func number(text json.Number) any {
	if text == "-0" {
		return math.Copysign(0, -1)
	}
	if whole, err := text.Int64(); err == nil {
		return whole
	}
	if whole, isWhole := new(big.Int).SetString(string(text), 10); isWhole {
		return whole
	}
	double, err := text.Float64()
	if written, failure := json.Marshal(double); err == nil && failure == nil && string(written) == string(text) {
		return double
	}
	return svc.Decimal(text)
}
