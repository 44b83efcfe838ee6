// Sends commands with Go's net/http: query string and form, over one kept connection. Argument: the endpoint.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
)

const text = "é€😀 + & = %"

type envelope struct {
	SuccessStatus int
	Error         *string
	Response      any
}

func read(answer *http.Response, err error) envelope {
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	var read envelope
	if err := json.NewDecoder(answer.Body).Decode(&read); err != nil {
		log.Fatal(err)
	}
	return read
}

func main() {
	endpoint := os.Args[1]
	put := url.Values{"cmd": {"put"}, "key": {"go"}, "val": {text}}
	if stored := read(http.Get(endpoint + "?" + put.Encode())); stored.Response != true {
		log.Fatal(stored)
	}
	found := read(http.PostForm(endpoint, url.Values{"cmd": {"get"}, "key": {"go"}}))
	if found.Response != text || found.Error != nil {
		log.Fatal(found)
	}
	if refused := read(http.Get(endpoint + "?cmd=put&key=go")); refused.SuccessStatus != 1 || refused.Error == nil {
		log.Fatal(refused)
	}
	log.SetFlags(0)
	os.Stdout.WriteString("done\n")
}
