package svc_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// fault is what happens to one request.
type fault struct {
	// status answers with this status instead of sending the request on.
	status int
	header map[string]string
	body   string
	// losesAnswer sends the request on, and closes the connection instead of answering.
	losesAnswer bool
	// lines is the number of lines that are sent before the connection is cut.
	lines int
	// token sends the request on with this token.
	token string
	// then is called before the answer.
	then func()
}

// faultyServer is a server in front of a service that loses answers, rejects requests and cuts streams.
type faultyServer struct {
	url      string
	target   *url.URL
	mu       sync.Mutex
	faults   []fault
	commands []string
	keys     []string
}

func startFaulty(t *testing.T, target string) *faultyServer {
	t.Helper()
	address, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	server := &faultyServer{target: address}
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	server.url = listener.URL + address.Path
	return server
}

// next sets the faults of the next requests, in order, and forgets the commands.
func (s *faultyServer) next(faults ...fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = faults
	s.commands = nil
	s.keys = nil
}

func (s *faultyServer) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.commands...)
}

func (s *faultyServer) take(r *http.Request) fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = append(s.commands, path.Base(r.URL.Path))
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	if len(s.faults) == 0 {
		return fault{}
	}
	first := s.faults[0]
	s.faults = s.faults[1:]
	return first
}

func (s *faultyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := s.take(r)
	body, _ := io.ReadAll(r.Body)
	if fault.then != nil {
		fault.then()
	}
	if fault.status != 0 {
		for name, value := range fault.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(fault.status)
		if fault.body == "" {
			fault.body = `{"successStatus":1}`
		}
		_, _ = io.WriteString(w, fault.body)
		return
	}
	address := *s.target
	address.Path, address.RawQuery = r.URL.Path, r.URL.RawQuery
	sent, _ := http.NewRequest(r.Method, address.String(), bytes.NewReader(body))
	sent.Header = r.Header.Clone()
	sent.Header.Del("Accept-Encoding")
	if fault.token != "" {
		sent.Header.Set("Authorization", "Bearer "+fault.token)
	}
	answer, err := http.DefaultClient.Do(sent)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	data, _ := io.ReadAll(answer.Body)
	if fault.losesAnswer {
		panic(http.ErrAbortHandler)
	}
	for _, name := range []string{"Content-Type", "Retry-After", "Error-Code"} {
		if value := answer.Header.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}
	if fault.lines > 0 {
		lines := strings.SplitAfter(string(data), "\n")
		// The length promises more than is sent.
		w.Header().Set("Content-Length", strconv.Itoa(len(data)+1))
		w.WriteHeader(answer.StatusCode)
		_, _ = io.WriteString(w, strings.Join(lines[:min(fault.lines, len(lines))], ""))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(data)
}
