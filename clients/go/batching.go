package svc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"sync"
)

const (
	// A quarter of the default limits for commands and bytes: responses begin earlier.
	batchCalls = 250
	batchBytes = 1 << 20
	// rounds is how often a batch yields to other goroutines before it is sent, as long as they add calls.
	rounds = 8
)

// batchedCall is a call that waits for its result.
type batchedCall struct {
	command    string
	parameters map[string]any
	// body is a non-empty JSON object.
	body []byte
	// key is the key's JSON text. If isPlain is false, other texts may stand for the same key.
	key     string
	isPlain bool
	done    chan batchedResult
}

type batchedResult struct {
	response json.RawMessage
	err      error
}

func (b *batchedCall) isRead() bool {
	return traitsOf[b.command].repeats == anyTimes
}

// batching sends calls by key that goroutines make at the same time together, as long as the service accepts batches.
type batching struct {
	mu         sync.Mutex
	calls      []*batchedCall
	isRejected bool
	// The calls of each lane wait for the previous batch. Without that, callers would split into ever smaller groups.
	reads, others lane
}

type lane struct {
	calls  []*batchedCall
	isBusy bool
}

// takes reports whether a call may share a request: none of its parameters may concern the request as a whole.
func (b *batching) takes(ctx context.Context, command string, parameters map[string]any, key string) bool {
	if b == nil || !traitsOf[command].batched || key != "" || parameters["destId"] != nil {
		return false
	}
	if _, hasLimit := ctx.Deadline(); hasLimit {
		return false
	}
	return !b.rejects()
}

// rejects reports whether the service has rejected a batch.
func (b *batching) rejects() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.isRejected
}

// add sends a call together with others made at the same time, after earlier calls for the same key.
func (c *Client) add(ctx context.Context, command string, parameters map[string]any) (json.RawMessage, error) {
	sent, err := withTypes(parameters)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(sent)
	if err != nil {
		return nil, named(sent, err)
	}
	call := &batchedCall{command: command, parameters: parameters, body: body, done: make(chan batchedResult, 1)}
	if key, isText := parameters["key"]; parameters["keyType"] == nil && isText && typeName(key) != "" {
		call.key, call.isPlain = fmt.Sprint(key), true
	}
	b := c.batching
	b.mu.Lock()
	b.calls = append(b.calls, call)
	if len(b.calls) == 1 {
		go c.sendAll()
	}
	b.mu.Unlock()
	select {
	case result := <-call.done:
		return result.response, result.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// sendAll sends the collected calls once goroutines stop adding more.
func (c *Client) sendAll() {
	b := c.batching
	for before := 0; ; {
		for range rounds {
			runtime.Gosched()
		}
		b.mu.Lock()
		if len(b.calls) > before {
			before = len(b.calls)
			b.mu.Unlock()
			continue
		}
		reads, others := independent(b.calls)
		b.calls = nil
		c.sendInOrder(&b.reads, reads)
		c.sendInOrder(&b.others, others)
		b.mu.Unlock()
		return
	}
}

// sendInOrder must be called with the lock of batching held.
func (c *Client) sendInOrder(l *lane, calls []*batchedCall) {
	l.calls = append(l.calls, calls...)
	if len(l.calls) > 0 && !l.isBusy {
		l.isBusy = true
		go c.empty(l)
	}
}

func (c *Client) empty(l *lane) {
	for {
		c.batching.mu.Lock()
		waiting := l.calls
		l.calls = nil
		l.isBusy = len(waiting) > 0
		c.batching.mu.Unlock()
		if len(waiting) == 0 {
			return
		}
		for _, batch := range batchesOf(waiting) {
			c.sendBatch(batch)
		}
	}
}

// independent separates reads of keys that no other call changes from the rest: consecutive changes share a commit, and
// these reads do not wait for it.
func independent(calls []*batchedCall) (reads, others []*batchedCall) {
	changed := map[string]bool{}
	isUnclear := false
	for _, call := range calls {
		isUnclear = isUnclear || !call.isPlain
		if !call.isRead() {
			changed[call.key] = true
		}
	}
	if len(changed) == 0 {
		return calls, nil
	}
	if isUnclear {
		return nil, calls
	}
	for _, call := range calls {
		if call.isRead() && !changed[call.key] {
			reads = append(reads, call)
		} else {
			others = append(others, call)
		}
	}
	return reads, others
}

// batchesOf splits calls, in order, into batches that a service accepts.
func batchesOf(calls []*batchedCall) [][]*batchedCall {
	var batches [][]*batchedCall
	size := 0
	for _, call := range calls {
		size += len(call.body)
		if last := len(batches) - 1; last >= 0 && len(batches[last]) < batchCalls && size <= batchBytes {
			batches[last] = append(batches[last], call)
			continue
		}
		batches = append(batches, []*batchedCall{call})
		size = len(call.body)
	}
	return batches
}

// sendBatch settles calls with the results of one batch. Calls that were certainly not executed are sent individually.
func (c *Client) sendBatch(calls []*batchedCall) {
	left := calls
	// The previous batch may have been rejected.
	if len(calls) > 1 && !c.batching.rejects() {
		left = c.sendTogether(calls)
	}
	// One after another, which keeps their order.
	for _, call := range left {
		response, err := send[json.RawMessage](context.Background(), c, call.command, call.parameters, "", false)
		call.done <- batchedResult{response, err}
	}
}

// sendTogether returns the calls that must still be sent individually.
func (c *Client) sendTogether(calls []*batchedCall) []*batchedCall {
	header := http.Header{"Content-Type": {"application/json"}}
	r := request{command: "batch", header: header, body: bodyOf(batchBody(calls)), repeats: anyTimes}
	for _, call := range calls {
		if !call.isRead() {
			r.repeats = keyed
		}
	}
	if r.repeats == keyed {
		header.Set("Idempotency-Key", randomKey())
		// Reads have no unknown outcome.
		r.unknownOf = func(response json.RawMessage) error { return unknownIn(response, calls) }
	}
	read, _, err := c.exchange(context.Background(), r)
	if err != nil {
		if isBatchRejected(err) {
			// The service may have lower limits, for example: other batches would be rejected as well.
			c.batching.mu.Lock()
			c.batching.isRejected = true
			c.batching.mu.Unlock()
			return calls
		}
		for _, call := range calls {
			call.done <- batchedResult{err: ofCall(err, call.command)}
		}
		return nil
	}
	var left []*batchedCall
	results := resultsIn(read.Response)
	for at, call := range calls {
		// The batch ended before the rest ran.
		if at >= len(results) || results[at].isAlone(call, c.options.User != "") {
			left = append(left, call)
			continue
		}
		if failure := results[at].failure(call.command); failure != nil {
			call.done <- batchedResult{err: failure}
		} else {
			call.done <- batchedResult{response: results[at].Response}
		}
	}
	return left
}

// batchBody writes the commands of calls as the body of a batch.
func batchBody(calls []*batchedCall) []byte {
	var body bytes.Buffer
	body.WriteString(`{"commands":[`)
	for at, call := range calls {
		if at > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"cmd":%q,`, call.command)
		body.Write(call.body[1:])
	}
	body.WriteString("]}")
	return body.Bytes()
}

// itemResult is the result of a command in a batch.
type itemResult struct {
	envelope
	ErrorCode       ErrorCode `json:"errorCode"`
	ResponseOmitted bool      `json:"responseOmitted"`
}

func resultsIn(response json.RawMessage) []itemResult {
	var results []itemResult
	// A batch without results has executed nothing.
	_ = json.Unmarshal(response, &results)
	return results
}

// failure returns why a command of a batch failed, or nil if it succeeded.
func (r itemResult) failure(command string) error {
	if r.ResponseOmitted {
		message := "The change was made, but its response was omitted from that of the batch"
		return &Error{Code: r.ErrorCode, Message: message, Status: http.StatusInternalServerError, SuccessStatus: 1, Command: command}
	}
	if r.SuccessStatus != nil && *r.SuccessStatus == 0 {
		return nil
	}
	success := 1
	if r.SuccessStatus != nil {
		success = *r.SuccessStatus
	}
	var object errorObject
	if err := json.Unmarshal(r.Error, &object); err != nil {
		object = errorObject{}
		// Null leaves the message empty.
		_ = json.Unmarshal(r.Error, &object.Message)
	}
	if object.Code == "" {
		object.Code = r.ErrorCode
	}
	status, isKnown := statusOf[object.Code]
	if !isKnown {
		status = http.StatusInternalServerError
	}
	failure := object.failure(command, status, success)
	if len(r.Response) > 0 {
		failure.Response, _ = decode[any](r.Response, true)
	}
	return failure
}

// isAlone reports whether a call was certainly not executed, so it is sent individually.
func (r itemResult) isAlone(call *batchedCall, hasUser bool) bool {
	err := r.failure(call.command)
	if err == nil {
		return false
	}
	failure := err.(*Error)
	may, isPassing := passingOf(failure)
	if isPassing && (call.isRead() || !may.isUnknown) {
		return true
	}
	if failure.Status == http.StatusUnauthorized && hasUser {
		return true
	}
	// The limit may be the batch's, not the call's.
	return failure.Code == CodeLimitExceeded && call.isRead()
}

// unknownIn returns the first failure after which a change may have been made: only the batch's idempotency key makes
// retrying it safe.
func unknownIn(response json.RawMessage, calls []*batchedCall) error {
	for at, result := range resultsIn(response) {
		if at >= len(calls) || calls[at].isRead() {
			continue
		}
		failure := result.failure(calls[at].command)
		if failure == nil {
			continue
		}
		if may, isPassing := passingOf(failure); isPassing && may.isUnknown {
			return failure
		}
	}
	return nil
}

// isBatchRejected reports whether a batch was rejected before any of its commands ran.
func isBatchRejected(err error) bool {
	switch CodeOf(err) {
	case CodeBatchCommand, CodeBodyTooLarge, CodeCommandUnknown, CodeIdempotencyUnsupported, CodeLimitExceeded,
		CodeNotSupported, CodePermissionDenied, CodeRequestMalformed:
		return true
	}
	return false
}

// ofCall converts a batch's failure to the failure of one of its calls.
func ofCall(err error, command string) error {
	failure, isOfService := err.(*Error)
	if !isOfService {
		return err
	}
	own := *failure
	own.Command = command
	return &own
}
