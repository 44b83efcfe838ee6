package svc

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// WatchOptions are the options of [Client.Watch].
type WatchOptions struct {
	// Caches are names of caches; a single * means every cache whose changes are recorded. Default: the default cache.
	Caches []string
	// From is where to begin: now (the default), start, or the position of an earlier change.
	From string
	// Operations: only these.
	Operations []string
	// WithOldValues includes the value that each change replaced or removed.
	WithOldValues bool
	// UntilNow ends the loop after the last change, instead of waiting for more.
	UntilNow bool
	// OnGap is called when changes may be missing, in front of a cluster. Default: the loop ends with an error.
	OnGap func(reason string)
	// OnReconnect is called once when the connection has ended and is opened again, with the reason, if there is one.
	// Default: [slog.Default] logs a warning.
	OnReconnect func(reason error)
	// RetryTime is how long the client tries to reopen the stream while the service is unavailable. Default:
	// indefinitely.
	RetryTime time.Duration
}

// Change is a change of an entry or of a whole cache.
type Change struct {
	// Position is the position after the change, from which another loop can continue; empty in front of a cluster.
	Position  string
	Operation string
	Cache     string
	Time      time.Time
	Key       any
	Value     any
	OldValue  any
	// KeyType, ValueType and OldValueType name the types with which key and values can be sent back; empty for strings,
	// ints, doubles, booleans and null.
	KeyType      string
	ValueType    string
	OldValueType string
	// Expires is when the entry expires; the zero time if it does not.
	Expires time.Time
}

// feedLine is a line in a change stream.
type feedLine struct {
	Event     string     `json:"event"`
	Position  *string    `json:"position"`
	Reason    string     `json:"reason"`
	Error     string     `json:"error"`
	ErrorCode ErrorCode  `json:"errorCode"`
	Operation string     `json:"operation"`
	Cache     string     `json:"cache"`
	Time      time.Time  `json:"time"`
	Key       any        `json:"key"`
	Value     any        `json:"value"`
	OldValue  any        `json:"oldValue"`
	Expires   *time.Time `json:"expires"`

	KeyType      string `json:"keyType"`
	ValueType    string `json:"valueType"`
	OldValueType string `json:"oldValueType"`
}

const connectionEnded = "the connection to the service ended"

// silence is how long a connection may be without a line: the service sends one at least every 15 seconds.
const silence = 60 * time.Second

// errStopped means that the loop has ended.
var errStopped = errors.New("stopped")

// Watch returns the changes of caches one by one, as they happen, until the context ends. If the connection ends, it is
// opened again after the last change, so none is lost or repeated. In front of a cluster, changes may be missing
// instead: OnGap is then called or, without it, the loop ends with an error. An error ends the loop.
func (c *Client) Watch(ctx context.Context, options WatchOptions) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if c.invalid != nil {
			yield(Change{}, c.invalid)
			return
		}
		feed := feed{client: c, options: options, from: options.From, isResumable: true, mayRenew: c.options.User != ""}
		feed.attempts = c.attempts()
		if feed.from == "" {
			feed.from = "now"
		}
		if err := feed.follow(ctx, yield); err != nil && !errors.Is(err, errStopped) {
			yield(Change{}, err)
		}
	}
}

// feed follows the changes of caches across streams that may end.
type feed struct {
	client      *Client
	options     WatchOptions
	from        string
	attempts    *attempts
	isResumable bool
	hasBegun    bool
	isOpen      bool
	mayRenew    bool
}

// follow opens streams until the changes are complete or a failure is final.
func (f *feed) follow(ctx context.Context, yield func(Change, error) bool) error {
	for {
		address := f.client.endpoints.current()
		isComplete, err := f.stream(ctx, address, yield)
		if isComplete || errors.Is(err, errStopped) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var failure *Error
		if errors.As(err, &failure) && failure.Status == http.StatusUnauthorized && f.mayRenew {
			// The session has expired since the last stream was opened.
			f.mayRenew = false
			continue
		}
		ended, may := err, passing{isAway: true, isUnknown: true}
		if err == nil {
			ended = errors.New(connectionEnded)
		} else {
			isPassing := false
			if may, isPassing = passingOf(err); !isPassing {
				return err
			}
		}
		if !f.isResumable && f.options.OnGap == nil {
			return f.noteGap(connectionEnded)
		}
		if f.isOpen {
			f.tell(err)
		}
		f.isOpen = false
		if err := f.attempts.pause(ctx, ended, may, address, 0); err != nil {
			return err
		}
	}
}

func (f *feed) tell(reason error) {
	if f.options.OnReconnect != nil {
		f.options.OnReconnect(reason)
		return
	}
	slog.Warn("svc: the change feed is opened again", "reason", reason)
}

// stream yields the changes of one stream, and reports whether they are complete.
func (f *feed) stream(ctx context.Context, address string, yield func(Change, error) bool) (bool, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	token, err := f.client.token(ctx)
	if err != nil {
		return false, err
	}
	timer := time.AfterFunc(silence, cancel)
	defer timer.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+f.query(), nil)
	if err != nil {
		return false, err
	}
	f.client.setHeader(request, nil, token)
	response, err := f.client.options.HTTPClient.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	f.client.endpoints.hasAnswered.Store(true)
	if !isOK(response.StatusCode) {
		answer, err := readAnswer(response)
		if err != nil {
			return false, err
		}
		if answer.status == http.StatusUnauthorized {
			f.client.forget(token)
		}
		_, err = answer.read("watch")
		return false, err
	}
	lines := bufio.NewReader(response.Body)
	for {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		// The time that the caller spends on a change is not silence of the service.
		timer.Stop()
		line, err := decode[feedLine](text, true)
		if err != nil {
			return false, err
		}
		if isComplete, err := f.accept(line, yield); isComplete || err != nil {
			return isComplete, err
		}
		if line.Event == "end" {
			return false, nil
		}
		timer.Reset(silence)
	}
}

// accept reads a line, and reports whether the changes are complete.
func (f *feed) accept(line feedLine, yield func(Change, error) bool) (bool, error) {
	if !f.isOpen {
		longest := f.options.RetryTime
		if longest <= 0 {
			longest = withoutEnd
		}
		f.attempts.reset(longest)
	}
	f.isOpen = true
	f.mayRenew = f.client.options.User != ""
	if line.Position == nil {
		f.isResumable = false
	} else {
		f.from = *line.Position
	}
	switch line.Event {
	case "open":
		hadBegun := f.hasBegun
		f.hasBegun = true
		if hadBegun && !f.isResumable {
			return false, f.noteGap(connectionEnded)
		}
	case "gap":
		return false, f.noteGap(line.Reason)
	case "change":
		if !yield(line.change(), nil) {
			return false, errStopped
		}
	case "end":
		if line.Reason != "complete" && line.Reason != "stopping" {
			return false, &Error{
				Code: line.ErrorCode, Message: line.Error, Command: "watch", Status: http.StatusGone, SuccessStatus: 1,
			}
		}
		return line.Reason == "complete", nil
	}
	return false, nil
}

func (l feedLine) change() Change {
	change := Change{
		Operation: l.Operation, Cache: l.Cache, Time: l.Time, Key: l.Key, Value: l.Value, OldValue: l.OldValue,
		KeyType: l.KeyType, ValueType: l.ValueType, OldValueType: l.OldValueType,
	}
	if l.Position != nil {
		change.Position = *l.Position
	}
	if l.Expires != nil {
		change.Expires = *l.Expires
	}
	return change
}

func (f *feed) noteGap(reason string) error {
	if f.options.OnGap == nil {
		message := "Changes may be missing: " + reason
		return &Error{Message: message, Command: "watch", Status: http.StatusGone, SuccessStatus: 1}
	}
	f.options.OnGap(reason)
	return nil
}

// joinNames joins names of caches, quoting those that would not be read as they are.
func joinNames(names []string) string {
	written := make([]string, len(names))
	for at, name := range names {
		if name == "" || strings.TrimSpace(name) != name || strings.ContainsAny(name, ",\"") {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		written[at] = name
	}
	return strings.Join(written, ",")
}

func (f *feed) query() string {
	query := url.Values{"httpStatus": {"true"}, "format": {"ndjson"}, "from": {f.from}}
	if len(f.options.Caches) > 0 {
		query.Set("cacheName", joinNames(f.options.Caches))
	}
	if len(f.options.Operations) > 0 {
		query.Set("operation", strings.Join(f.options.Operations, ","))
	}
	if f.options.WithOldValues {
		query.Set("oldValue", "true")
	}
	if f.options.UntilNow {
		query.Set("follow", "false")
	}
	return "/watch?" + query.Encode()
}
