// Stores and reads values and objects, reads rows page by page and as lines. Argument: the endpoint.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

var endpoint = "http://localhost:8080/svc"

const sql = "SELECT X FROM SYSTEM_RANGE(1, ?)"

type page struct {
	Items   [][]json.Number
	Last    bool
	QueryID json.Number `json:"queryId"`
}

func send(name string, parameters map[string]any, accept string) *http.Response {
	body, err := json.Marshal(parameters)
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest("POST", endpoint+"/"+name+"?httpStatus=true&errors=object", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", accept)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	return response
}

func command(name string, parameters map[string]any, result any) {
	response := send(name, parameters, "application/json")
	defer response.Body.Close()
	var envelope struct {
		SuccessStatus int
		Error         *struct{ Code, Message string }
		Response      json.RawMessage
	}
	if err := json.NewDecoder(response.Body).Decode(&envelope); err != nil {
		log.Fatal(err)
	}
	if envelope.SuccessStatus != 0 {
		log.Fatalf("%s: %s: %s", response.Status, envelope.Error.Code, envelope.Error.Message)
	}
	if err := json.Unmarshal(envelope.Response, result); err != nil {
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) > 1 {
		endpoint = os.Args[1]
	}
	var stored bool
	var colour string
	command("put", map[string]any{"key": "colour", "val": "red"}, &stored)
	command("get", map[string]any{"key": "colour"}, &colour)
	fmt.Println("get:", colour)

	person := map[string]any{"name": "Ann", "age": 41}
	var found struct{ Name string }
	command("put", map[string]any{"key": "ann", "val": person, "valueType": "Person"}, &stored)
	command("get", map[string]any{"key": "ann"}, &found)
	fmt.Println("object:", found.Name)

	var rows page
	command("qryfldexe", map[string]any{"qry": sql, "args": []int{5}, "pageSize": 2}, &rows)
	fmt.Print("rows:")
	for cursor := rows.QueryID; ; {
		for _, row := range rows.Items {
			fmt.Print(" ", row[0])
		}
		if rows.Last {
			break
		}
		rows = page{}
		command("qryfetch", map[string]any{"qryId": cursor, "pageSize": 2}, &rows)
	}
	fmt.Println()

	request := map[string]any{"qry": sql, "args": []int{1000}, "pageSize": 1000}
	response := send("qryfldexe", request, "application/x-ndjson")
	defer response.Body.Close()
	lines := 0
	for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
		lines++
	}
	fmt.Println("lines:", lines)
}
