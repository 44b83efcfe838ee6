package svc_test

import (
	"context"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/svc-grid/svc-go"
)

const nowhere = "http://127.0.0.1:1/svc"

// fails reports whether an error begins with a text.
func fails(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), text) {
		t.Fatalf("%v instead of %s", err, text)
	}
}

func TestAWrongOptionIsTheErrorOfEachCall(t *testing.T) {
	for _, wrong := range []struct {
		options svc.Options
		text    string
	}{
		{svc.Options{URL: "localhost:8080/svc"}, "URL must be the endpoint of a service, such as "},
		{svc.Options{URL: "http://localhost:8080"}, "URL must be the endpoint of a service, such as "},
		{svc.Options{URL: "http://localhost:port/svc"}, "URL must be the endpoint of a service, such as "},
		{svc.Options{URL: "http://localhost/svc?cmd=get"}, "URL must be the endpoint of a service, such as "},
		{svc.Options{URL: nowhere, Token: "secret\n"}, "Token must consist of visible ASCII characters: is there a line"},
		{svc.Options{URL: nowhere, Timeout: -time.Second}, "Timeout must not be negative, got -1s"},
		{svc.Options{URL: nowhere, Dates: "ISO"}, "Dates must be text or iso, got \"ISO\""},
		{svc.Options{URL: nowhere, BulkKeys: -1}, "BulkKeys must not be negative, got -1"},
	} {
		client := svc.New(wrong.options)
		_, err := client.Version(context.Background(), svc.VersionParameters{})
		fails(t, err, wrong.text)
		_, err = client.Export(context.Background(), svc.ExportParameters{Table: "T", Format: "csv"})
		fails(t, err, wrong.text)
		for _, err := range client.Watch(context.Background(), svc.WatchOptions{}) {
			fails(t, err, wrong.text)
		}
	}
}

func TestAValueThatJSONDoesNotHaveIsNamed(t *testing.T) {
	ctx, client := context.Background(), svc.New(svc.Options{URL: nowhere})
	_, err := client.Put(ctx, svc.PutParameters{Key: "a", Val: math.NaN()})
	fails(t, err, "val: json: unsupported value: NaN")
	_, err = client.Put(ctx, svc.PutParameters{Key: math.Inf(1), Val: 1})
	fails(t, err, "key: json: unsupported value: +Inf")
	_, err = client.Put(ctx, svc.PutParameters{Key: "a", Val: svc.Decimal("twelve")})
	fails(t, err, "val: json: ")
	for _, err := range client.Query(ctx, "SELECT ?", svc.QueryOptions{Args: []any{math.NaN()}}) {
		fails(t, err, "args: json: unsupported value: NaN")
	}
	_, err = client.Put(ctx, svc.PutParameters{Key: "a", Val: 1, IdempotencyKey: "a\n"})
	fails(t, err, `IdempotencyKey must consist of printable ASCII characters, got "a\n"`)
}

func TestAServiceThatDoesNotAnswerIsNamed(t *testing.T) {
	ctx := context.Background()
	client := svc.New(svc.Options{URL: nowhere, Retries: -1})
	_, err := client.Version(ctx, svc.VersionParameters{})
	fails(t, err, `Post "http://127.0.0.1:1/svc/version?httpStatus=true": dial tcp 127.0.0.1:1: connect: connection refused`)
	for _, err := range client.Watch(ctx, svc.WatchOptions{}) {
		fails(t, err, `Get "http://127.0.0.1:1/svc/watch?`)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	url := "http://" + silent.Addr().String() + "/svc"
	client = svc.New(svc.Options{URL: url, Retries: -1, Timeout: 100 * time.Millisecond})
	_, err = client.Version(ctx, svc.VersionParameters{})
	fails(t, err, `Post "`+url+`/version?httpStatus=true": context deadline exceeded`)
}
