//go:build go1.25

package svc_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-grid/svc-go"
)

// streams answers each request with lines, one after the other.
type streams struct {
	lines  []string
	opened int
}

func (s *streams) RoundTrip(r *http.Request) (*http.Response, error) {
	s.opened++
	reader, writer := io.Pipe()
	context.AfterFunc(r.Context(), func() { writer.CloseWithError(r.Context().Err()) })
	go func() {
		for _, line := range s.lines {
			_, _ = io.WriteString(writer, line+"\n")
		}
	}()
	return &http.Response{StatusCode: http.StatusOK, Body: reader, Request: r}, nil
}

func TestTheTimeThatTheCallerTakesIsNoSilenceOfTheService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &streams{lines: []string{
			`{"event":"open","position":"1"}`,
			`{"event":"change","position":"2","key":"a","time":"2026-01-01T00:00:00Z"}`,
			`{"event":"change","position":"3","key":"b","time":"2026-01-01T00:00:00Z"}`,
			`{"event":"end","position":"3","reason":"complete"}`,
		}}
		client := svc.New(svc.Options{URL: "http://localhost/svc", HTTPClient: &http.Client{Transport: service}})
		var keys []any
		for change, err := range client.Watch(t.Context(), svc.WatchOptions{}) {
			if err != nil || service.opened > 1 {
				t.Fatal(service.opened, err)
			}
			keys = append(keys, change.Key)
			time.Sleep(2 * time.Minute)
		}
		equal(t, keys, []any{"a", "b"})
	})
}
