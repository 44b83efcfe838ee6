package svc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-grid/svc-go"
)

// recorded forwards requests and records their commands. fault replaces the response to a request that was executed.
type recorded struct {
	mu       sync.Mutex
	commands []string
	fault    func(command string) (*http.Response, error)
}

func (r *recorded) RoundTrip(request *http.Request) (*http.Response, error) {
	command := request.URL.Path[strings.LastIndex(request.URL.Path, "/")+1:]
	r.mu.Lock()
	r.commands = append(r.commands, command)
	r.mu.Unlock()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil && r.fault != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if other, failure := r.fault(command); other != nil || failure != nil {
			response.Body.Close()
			return other, failure
		}
	}
	return response, err
}

func (r *recorded) count(command string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := 0
	for _, each := range r.commands {
		if each == command {
			count++
		}
	}
	return count
}

func batchingClient(transport *recorded) *svc.Client {
	return svc.New(svc.Options{URL: openURL, Batching: true, HTTPClient: &http.Client{Transport: transport}})
}

// together makes calls at the same time and returns their failures.
func together(calls ...func() error) []error {
	failures := make([]error, len(calls))
	var group sync.WaitGroup
	for at, call := range calls {
		group.Add(1)
		go func() {
			defer group.Done()
			failures[at] = call()
		}()
	}
	group.Wait()
	return failures
}

func TestCallsAtTheSameTimeShareABatch(t *testing.T) {
	transport := &recorded{}
	client, ctx := batchingClient(transport), context.Background()
	cache := newCache(t, svc.New(svc.Options{URL: openURL}))
	calls := make([]func() error, 64)
	for at := range calls {
		calls[at] = func() error {
			key := fmt.Sprint("k", at)
			if _, err := client.Put(ctx, svc.PutParameters{CacheName: cache, Key: key, Val: at}); err != nil {
				return err
			}
			value, err := client.Get(ctx, svc.GetParameters{CacheName: cache, Key: key})
			if err == nil && value != int64(at) {
				return fmt.Errorf("%#v instead of %d", value, at)
			}
			return err
		}
	}
	equal(t, errors.Join(together(calls...)...), nil)
	if batches := transport.count("batch"); batches == 0 || batches > 20 {
		t.Fatalf("%d batches for 128 calls: %v", batches, transport.commands)
	}
	equal(t, transport.count("get")+transport.count("put") < 20, true)
}

func TestEachCallOfABatchHasItsOwnFailure(t *testing.T) {
	transport := &recorded{}
	client, alone, ctx := batchingClient(transport), svc.New(svc.Options{URL: openURL}), context.Background()
	cache := newCache(t, svc.New(svc.Options{URL: openURL}))
	get := func(client *svc.Client, parameters svc.GetParameters) error {
		_, err := client.Get(ctx, parameters)
		return err
	}
	wrong := []svc.GetParameters{
		{CacheName: cache + "-missing", Key: "a"},
		{CacheName: cache, Key: "no number", KeyType: "int"},
	}
	failures := together(
		func() error { return get(client, wrong[0]) },
		func() error { return get(client, wrong[1]) },
		func() error { return get(client, svc.GetParameters{CacheName: cache, Key: "a"}) },
	)
	for at, parameters := range wrong {
		equal(t, *failureOf(t, failures[at]), *failureOf(t, get(alone, parameters)))
	}
	equal(t, failures[2], nil)
}

func TestACallWithItsOwnKeyOrTimeLimitGoesAlone(t *testing.T) {
	transport := &recorded{}
	client, ctx := batchingClient(transport), context.Background()
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cache := newCache(t, svc.New(svc.Options{URL: openURL}))
	put := func(ctx context.Context, key, idempotencyKey string) func() error {
		parameters := svc.PutParameters{CacheName: cache, Key: key, Val: 1, IdempotencyKey: idempotencyKey}
		return func() error { _, err := client.Put(ctx, parameters); return err }
	}
	equal(t, errors.Join(together(put(ctx, "a", cache), put(limited, "b", ""))...), nil)
	equal(t, transport.count("put"), 2)
}

func TestALostAnswerOfABatchChangesNothingTwice(t *testing.T) {
	isLost := false
	transport := &recorded{fault: func(command string) (*http.Response, error) {
		if command == "batch" && !isLost {
			isLost = true
			return nil, io.ErrUnexpectedEOF
		}
		return nil, nil
	}}
	client, ctx := batchingClient(transport), context.Background()
	counter := newCache(t, svc.New(svc.Options{URL: openURL}))
	_, err := client.Get(ctx, svc.GetParameters{Key: "a"})
	equal(t, err, nil)
	calls := make([]func() error, 20)
	for at := range calls {
		calls[at] = func() error {
			_, err := client.Incr(ctx, svc.IncrParameters{Key: counter, Delta: 1, Init: svc.Ptr[int64](0)})
			return err
		}
	}
	equal(t, errors.Join(together(calls...)...), nil)
	value, err := client.Incr(ctx, svc.IncrParameters{Key: counter, Delta: 1})
	equal(t, []any{value, err, isLost}, []any{int64(21), nil, true})
}

func TestCallsOfARejectedBatchAreSentOneByOne(t *testing.T) {
	transport := &recorded{fault: func(command string) (*http.Response, error) {
		if command != "batch" {
			return nil, nil
		}
		body := `{"successStatus":1,"error":{"code":"LIMIT_EXCEEDED","message":"too many"},"response":null}`
		return &http.Response{StatusCode: http.StatusBadRequest, Body: io.NopCloser(bytes.NewBufferString(body))}, nil
	}}
	client, ctx := batchingClient(transport), context.Background()
	for range 3 {
		calls := make([]func() error, 16)
		for at := range calls {
			calls[at] = func() error { _, err := client.Get(ctx, svc.GetParameters{Key: fmt.Sprint(at)}); return err }
		}
		equal(t, errors.Join(together(calls...)...), nil)
	}
	// Reads are one lane, so no second batch was on its way.
	equal(t, transport.count("batch"), 1)
}

func TestACallThatIsCancelledLeavesTheOthers(t *testing.T) {
	client := batchingClient(&recorded{})
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("no longer needed")
	cancel(reason)
	failures := together(
		func() error { _, err := client.Get(ctx, svc.GetParameters{Key: "a"}); return err },
		func() error { _, err := client.Get(context.Background(), svc.GetParameters{Key: "a"}); return err },
	)
	equal(t, failures[1], nil)
	if failures[0] != nil && !errors.Is(failures[0], reason) {
		t.Fatal(failures[0])
	}
}
