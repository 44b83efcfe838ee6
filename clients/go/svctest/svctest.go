// Package svctest starts services for tests: in memory, on a free port, with fixtures, a clock that tests advance, and
// [Service.Reset] between tests. It runs the program svc from the PATH, or the command in the environment variable
// SVC_TEST_COMMAND.
package svctest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	svc "github.com/svc-grid/svc-go"
)

// stopTime is how long a service may take to stop.
const stopTime = 30 * time.Second

// Fixture is data to load into a service: entries of a cache, an SQL script, or rows of a table.
type Fixture struct {
	// CacheName is the cache of the entries, which is created if it is missing. Default: the default cache.
	CacheName string         `json:"cacheName,omitempty"`
	Entries   map[string]any `json:"entries,omitempty"`
	// SQL is a script of statements, separated by semicolons.
	SQL string `json:"sql,omitempty"`
	// Table is the table of the rows, which is created if it is missing.
	Table  string `json:"table,omitempty"`
	CSV    string `json:"csv,omitempty"`
	NDJSON string `json:"ndjson,omitempty"`
}

// Options are the options of [New] and [Start].
type Options struct {
	// Fixtures are the service's initial contents, which a reset restores.
	Fixtures []Fixture
	// Args are command-line options of svc serve.
	Args []string
	// Command is the program with its first arguments. Default: the environment variable SVC_TEST_COMMAND, or else svc.
	Command []string
	// Client are the options of the client. Its URL is always the service's.
	Client svc.Options
}

// Service is a service for tests.
type Service struct {
	// URL is the endpoint: http://localhost:PORT/svc.
	URL string
	// Client is a client for the service.
	Client *svc.Client

	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
	calls   sync.Mutex
}

// New starts a service, for example in TestMain. The service ends at [Service.Stop], and with the program.
func New(options Options) (*Service, error) {
	program := options.Command
	if len(program) == 0 {
		program = strings.Fields(os.Getenv("SVC_TEST_COMMAND"))
	}
	if len(program) == 0 {
		program = []string{"svc"}
	}
	command := exec.Command(program[0], append(append(program[1:len(program):len(program)], "test-service"), options.Args...)...)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	service := &Service{command: command, input: input, output: bufio.NewReader(output)}
	if err := service.begin(options); err != nil {
		_ = service.Stop()
		return nil, err
	}
	return service, nil
}

// Start starts a service that is stopped when the test ends. It fails the test if the service cannot be started.
func Start(t testing.TB, options Options) *Service {
	t.Helper()
	service, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.Stop(); err != nil {
			t.Error(err)
		}
	})
	return service
}

func (s *Service) begin(options Options) error {
	url, err := s.read()
	if err != nil {
		return err
	}
	s.URL = url
	options.Client.URL = url
	s.Client = svc.New(options.Client)
	if err := s.Load(options.Fixtures...); err != nil {
		return err
	}
	return s.Snapshot()
}

// Load adds fixtures, in order.
func (s *Service) Load(fixtures ...Fixture) error {
	if fixtures == nil {
		fixtures = []Fixture{}
	}
	return s.call(map[string]any{"call": "load", "fixtures": fixtures})
}

// Snapshot saves the contents for [Service.Reset].
func (s *Service) Snapshot() error {
	return s.call(map[string]any{"call": "snapshot"})
}

// Reset restores the contents of the last snapshot, or if there is none, those after loading the fixtures.
func (s *Service) Reset() error {
	return s.call(map[string]any{"call": "reset"})
}

// Advance advances the time of the service: entries, rows and sessions expire.
func (s *Service) Advance(by time.Duration) error {
	return s.call(map[string]any{"call": "advance", "ms": float64(by) / float64(time.Millisecond)})
}

// Stop ends the service and discards its data. A second call does nothing.
func (s *Service) Stop() error {
	s.calls.Lock()
	defer s.calls.Unlock()
	if s.command.ProcessState != nil {
		return nil
	}
	s.input.Close()
	timer := time.AfterFunc(stopTime, func() { _ = s.command.Process.Kill() })
	defer timer.Stop()
	// The end of the output, before Wait closes it.
	_, _ = io.Copy(io.Discard, s.output)
	if err := s.command.Wait(); err != nil {
		return fmt.Errorf("the test service did not stop as it should: %w", err)
	}
	return nil
}

func (s *Service) call(request map[string]any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	s.calls.Lock()
	defer s.calls.Unlock()
	if _, err := s.input.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the test service has ended: %w", err)
	}
	_, err = s.read()
	return err
}

// read returns the URL of an answer, if it has one.
func (s *Service) read() (string, error) {
	line, err := s.output.ReadBytes('\n')
	if err != nil {
		return "", fmt.Errorf("the test service has ended: %w", err)
	}
	var answer struct {
		URL   string `json:"url"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return "", err
	}
	if answer.Error != "" {
		return "", errors.New(answer.Error)
	}
	return answer.URL, nil
}
