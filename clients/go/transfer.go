package svc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
)

// mediaTypes are the media types of the row formats.
var mediaTypes = map[string]string{"csv": "text/csv", "ndjson": "application/x-ndjson"}

// Import stores the rows or entries of a source in a table or a cache while they are read; Format is csv or ndjson. If
// a record fails, it returns an [Error] whose Response says how many were stored. A seekable source, such as a file, is
// sent again if the service is busy; any other is sent once.
func (c *Client) Import(ctx context.Context, rows io.Reader, parameters ImportParameters) (ImportResult, error) {
	kind, err := mediaType(parameters.Format)
	if err != nil {
		return ImportResult{}, err
	}
	r := request{
		command: "import",
		query:   queryOf(members(parameters)),
		header:  http.Header{"Content-Type": {kind}},
		repeats: never,
	}
	var sent *source
	defer func() { sent.end() }()
	r.body = func() (io.Reader, error) {
		sent = &source{rows: rows}
		return sent, nil
	}
	if seeker, canSeek := rows.(io.Seeker); canSeek {
		start, err := seeker.Seek(0, io.SeekCurrent)
		if err == nil {
			r.repeats = once
			r.body = func() (io.Reader, error) {
				sent.end()
				sent = &source{rows: rows, isQuick: true}
				_, err := seeker.Seek(start, io.SeekStart)
				return sent, err
			}
		}
	}
	if r.repeats == never && c.options.User != "" {
		// A source cannot be sent again after a login, so the session is renewed first.
		if err := c.Noop(ctx, NoopParameters{}); err != nil {
			return ImportResult{}, err
		}
	}
	read, _, err := c.exchange(ctx, r)
	if err != nil {
		return ImportResult{}, err
	}
	return decode[ImportResult](read.Response, true)
}

// errSent ends a request whose response came before all rows were sent.
var errSent = errors.New("the request has ended")

// source is a request's reader of the rows. It does not close them: the caller has opened them.
type source struct {
	rows io.Reader
	// isQuick: a read returns soon, whereas a read from a pipe may wait forever.
	isQuick bool
	isEnded atomic.Bool
	reading sync.Mutex
}

// Read implements [io.Reader].
func (s *source) Read(target []byte) (int, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.isEnded.Load() {
		return 0, errSent
	}
	return s.rows.Read(target)
}

// end stops the transport from reading the rows, which it may do even after the response. It waits for a quick read.
func (s *source) end() {
	if s == nil {
		return
	}
	s.isEnded.Store(true)
	if s.isQuick {
		s.reading.Lock()
		defer s.reading.Unlock()
	}
}

// Export returns all rows of a table or entries of a cache, which [Client.Import] reads; Format is csv or ndjson. The
// caller closes it.
func (c *Client) Export(ctx context.Context, parameters ExportParameters) (io.ReadCloser, error) {
	kind, err := mediaType(parameters.Format)
	if err != nil {
		return nil, err
	}
	return c.download(ctx, "export", queryOf(members(parameters)), kind)
}

// BackupStream creates a backup and returns its bytes, which svc restore reads. The caller closes it.
func (c *Client) BackupStream(ctx context.Context) (io.ReadCloser, error) {
	return c.download(ctx, "backup", url.Values{"stream": {"true"}}, "application/octet-stream")
}

func (c *Client) download(ctx context.Context, command string, query url.Values, accept string) (io.ReadCloser, error) {
	_, response, err := c.exchange(ctx, request{
		command: command,
		query:   query,
		header:  http.Header{"Accept": {accept}, "Content-Type": {"application/json"}},
		body:    bodyOf([]byte("{}")),
		// Only a request that has not begun is repeated.
		repeats: anyTimes,
		streams: true,
	})
	if err != nil {
		return nil, err
	}
	if response == nil {
		return nil, &Error{Message: "The response is not a stream", Command: command, Status: http.StatusOK}
	}
	return &rowsReader{source: response.Body, command: command}, nil
}

func mediaType(format string) (string, error) {
	kind, isKnown := mediaTypes[format]
	if !isKnown {
		return "", fmt.Errorf("Format must be csv or ndjson, got %q", format)
	}
	return kind, nil
}

func queryOf(parameters map[string]any) url.Values {
	query := url.Values{}
	for name, value := range parameters {
		query.Set(name, fmt.Sprint(value))
	}
	return query
}

// rowsReader reads rows, and the failure in the last line if the service ended the stream with one.
type rowsReader struct {
	source  io.ReadCloser
	command string
	// held is the last line while it may still report a failure.
	held  []byte
	ready []byte
	err   error
}

var failureMarks = [][]byte{[]byte(`{"error":{"code":"`), []byte(`# {"error":{"code":"`)}

// longestFailure is the maximum length of a line that reports a failure: longer lines are rows.
const longestFailure = 64 * 1024

// Read implements [io.Reader].
func (r *rowsReader) Read(target []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		chunk := make([]byte, 32*1024)
		n, err := r.source.Read(chunk)
		data := append(r.held, chunk[:n]...)
		start := startOfFailure(data)
		r.ready, r.held = data[:start:start], data[start:]
		if err != nil {
			r.end(err)
		}
	}
	n := copy(target, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

func (r *rowsReader) end(err error) {
	r.err = err
	if err != io.EOF {
		if failure := r.failure(); failure != nil {
			r.err = failure
			return
		}
	}
	r.ready = append(r.ready, r.held...)
}

// failure returns the failure that the last line reports.
func (r *rowsReader) failure() error {
	line := bytes.TrimPrefix(r.held, []byte("# "))
	var read struct {
		Error errorObject `json:"error"`
	}
	if !bytes.HasPrefix(line, failureMarks[0]) || json.Unmarshal(line, &read) != nil {
		return nil
	}
	return read.Error.failure(r.command, http.StatusOK, 1)
}

// Close implements [io.Closer].
func (r *rowsReader) Close() error {
	return r.source.Close()
}

// startOfFailure returns where the last line begins if it reports a failure or may still do so, or else the end.
func startOfFailure(data []byte) int {
	text := bytes.TrimSuffix(data, []byte("\n"))
	start := bytes.LastIndexByte(text, '\n') + 1
	line := text[start:]
	if len(line) > longestFailure {
		return len(data)
	}
	for _, mark := range failureMarks {
		if bytes.HasPrefix(line, mark) || bytes.HasPrefix(mark, line) {
			return start
		}
	}
	return len(data)
}
