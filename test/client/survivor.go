// The default writer and reader of the Go client: `survivor URL CACHE NAME NAMES`. Prints the changes that it has read.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"sync/atomic"
	"time"

	svc "github.com/svc-grid/svc-go"
)

func main() {
	ctx := context.Background()
	cache, name := os.Args[2], os.Args[3]
	client := svc.New(svc.Options{URL: os.Args[1]})
	var isStopped atomic.Bool
	written := make(chan struct{})
	put := func(key string, value int) {
		if _, err := client.Put(ctx, svc.PutParameters{CacheName: cache, Key: name + "-" + key, Val: value}); err != nil {
			log.Fatal(err)
		}
	}
	go func() {
		for at := 0; !isStopped.Load(); at++ {
			put(fmt.Sprint(at), at)
			time.Sleep(10 * time.Millisecond)
		}
		put("end", 0)
		close(written)
	}()
	left := map[string]bool{}
	for _, each := range strings.Split(os.Args[4], ",") {
		left[each+"-end"] = true
	}
	for change, err := range client.Watch(ctx, svc.WatchOptions{Caches: []string{cache}, From: "start"}) {
		if err != nil {
			log.Fatal(err)
		}
		key := fmt.Sprint(change.Key)
		fmt.Println(change.Operation, key)
		if key == "stop" {
			isStopped.Store(true)
		}
		if delete(left, key); len(left) == 0 {
			break
		}
	}
	<-written
}
