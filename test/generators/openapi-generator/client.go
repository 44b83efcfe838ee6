// Puts, gets and selects with the client that openapi-generator generated.
package main

import (
	"context"
	"fmt"
	"os"

	svc "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	configuration := svc.NewConfiguration()
	configuration.Servers = svc.ServerConfigurations{{URL: os.Args[1]}}
	client := svc.NewAPIClient(configuration)
	ctx := context.Background()

	put := svc.NewPutRequest("go", 7)
	put.SetValueType("long")
	stored, _, err := client.EntryAPI.Put(ctx).PutRequest(*put).IdempotencyKey("go-1").Execute()
	check(err, stored.GetResponse(), true)
	found, _, err := client.EntryAPI.Get(ctx).Key("go").Execute()
	check(err, found.GetResponse(), 7)

	_, err = client.ResourceAPI.PutEntry(ctx, "default", "go/b").Body("red").Execute()
	check(err, nil, nil)
	entry, _, err := client.ResourceAPI.GetEntry(ctx, "default", "go/b").Execute()
	check(err, entry, "red")

	_, err = client.ResourceAPI.PutRow(ctx, "city", "5").RequestBody(map[string]any{"name": "Turku"}).Execute()
	check(err, nil, nil)
	row, _, err := client.ResourceAPI.GetRow(ctx, "city", "5").Execute()
	check(err, row["NAME"], "Turku")
	fmt.Println("done")
}

func check(err error, actual any, expected any) {
	if err != nil {
		panic(err)
	}
	if fmt.Sprint(actual) != fmt.Sprint(expected) {
		panic(fmt.Sprintf("%v instead of %v", actual, expected))
	}
}
