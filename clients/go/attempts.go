package svc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// By the last of four, a busy service has had 1.5 s.
	defaultRetries = 4
	// Longer than a restart, or than a standby needs to take over with the default lease.
	defaultRetryTime = 30 * time.Second
	firstDelay       = 100 * time.Millisecond
	// Longer pauses do not help a service, and users wait for them.
	longestDelay = 10 * time.Second
	// A standby may take over at any moment.
	longestDelayOfSeveral = time.Second
	// With several addresses, this many pauses of a request stay as short as the first one: a handover ends in that
	// time.
	shortDelays = 8
	withoutEnd  = time.Duration(math.MaxInt64)
	// stillRunning has a cause that may have passed, and nothing has changed.
	stillRunning = CodeIdempotencyKeyInUse
)

// passing is a transient failure.
type passing struct {
	// isAway: the service is unavailable; otherwise it is busy.
	isAway bool
	// isUnknown: the request may have been executed.
	isUnknown bool
}

// passingOf classifies a failure, and reports whether it is transient.
func passingOf(err error) (passing, bool) {
	var failure *Error
	if !errors.As(err, &failure) {
		return passingOfNetwork(err)
	}
	switch failure.Status {
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		// A proxy does not know whether the service executed the request.
		return passing{isAway: true, isUnknown: true}, true
	case http.StatusServiceUnavailable:
		switch failure.Code {
		// A proxy's response has no code.
		case "", CodeNotReady, CodeStopping, CodeStandby, CodeClusterUnreachable:
			return passing{isAway: true}, true
		case CodeDeposed:
			return passing{isAway: true, isUnknown: true}, true
		}
		return passing{}, true
	case http.StatusTooManyRequests:
		return passing{}, true
	}
	return passing{isUnknown: true}, failure.Code == stillRunning
}

func passingOfNetwork(err error) (passing, bool) {
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return passing{}, false
	}
	var operation *net.OpError
	isUnsent := errors.As(err, &operation) && operation.Op == "dial"
	return passing{isAway: !errors.Is(err, context.DeadlineExceeded), isUnknown: !isUnsent}, true
}

// endpoints remembers which address answers. Requests go only to these addresses, whatever a service says.
type endpoints struct {
	urls []string
	// hasAnswered: one of them has; until then an address may be wrong.
	hasAnswered atomic.Bool
	mu          sync.Mutex
	at          int
}

// urlsOf parses addresses separated by commas.
func urlsOf(text string) ([]string, error) {
	urls := strings.Split(text, ",")
	for at, each := range urls {
		each = strings.TrimSpace(each)
		address, err := url.Parse(each)
		isEndpoint := err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Host != "" &&
			strings.Trim(address.Path, "/") != "" && address.RawQuery == "" && address.Fragment == ""
		if !isEndpoint {
			return nil, fmt.Errorf("URL must be the endpoint of a service, such as http://localhost:8080/svc, got %q", text)
		}
		urls[at] = strings.TrimRight(each, "/")
		if serviceName(urls[at]) != serviceName(urls[0]) {
			return nil, fmt.Errorf("URL must end with one service name, got %q", text)
		}
	}
	return urls, nil
}

func serviceName(address string) string {
	return address[strings.LastIndex(address, "/")+1:]
}

func (e *endpoints) current() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.urls[e.at]
}

// leave switches requests from an unavailable address to another: the primary that a hint names, or else the next one.
// It reports whether there is one that the request has not tried yet; if not, it forgets which were tried.
func (e *endpoints) leave(address string, tried map[string]bool, hint string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	tried[address] = true
	isTried := func(each string) bool { return tried[each] }
	isLeft := slices.ContainsFunc(e.urls, func(each string) bool { return !tried[each] })
	if !isLeft {
		clear(tried)
	}
	if e.urls[e.at] != address && !tried[e.urls[e.at]] {
		return isLeft
	}
	at := slices.Index(e.urls, address)
	others := slices.DeleteFunc(slices.Concat(e.urls[at+1:], e.urls[:at]), isTried)
	if len(others) == 0 {
		return isLeft
	}
	next := others[0]
	if _, primary, isNamed := strings.Cut(hint, "the primary is "); isNamed {
		if at := slices.IndexFunc(others, func(each string) bool { return origin(each) == origin(primary) }); at >= 0 {
			next = others[at]
		}
	}
	e.at = slices.Index(e.urls, next)
	return isLeft
}

func origin(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(parsed.Scheme + "://" + parsed.Host)
}

// attempts counts the attempts of one request, or of one stream of changes.
type attempts struct {
	endpoints *endpoints
	retries   int
	// longest is how long the service may be unavailable; zero: the default.
	longest time.Duration
	// isTimed: only time limits the attempts.
	isTimed    bool
	tried      map[string]bool
	rejections int
	absences   int
	since      time.Time
}

func (c *Client) attempts() *attempts {
	return &attempts{
		endpoints: c.endpoints, retries: c.options.Retries, longest: c.options.RetryTime, tried: map[string]bool{},
	}
}

// reset starts over after a success. From then on, only time limits the attempts.
func (a *attempts) reset(longest time.Duration) {
	*a = attempts{endpoints: a.endpoints, longest: longest, isTimed: true, tried: map[string]bool{}}
}

// pause waits before a request is retried after a transient failure, unless another address is left to try. It returns
// the failure if no attempt is left, or the cause of the context's end.
func (a *attempts) pause(ctx context.Context, failure error, may passing, address string, asked time.Duration) error {
	if (may.isAway || isNetwork(failure)) && a.endpoints.leave(address, a.tried, failure.Error()) {
		return nil
	}
	hasSeveral := len(a.endpoints.urls) > 1
	highest, count := longestDelay, &a.rejections
	if hasSeveral {
		highest = longestDelayOfSeveral
	}
	if may.isAway {
		count = &a.absences
	}
	isTakenOver := may.isAway && hasSeveral
	doublings := *count
	if isTakenOver {
		doublings = max(0, *count-shortDelays)
	}
	longest := min(firstDelay<<min(doublings, 16), highest)
	// Jitter: clients that failed together do not retry together.
	delay := time.Duration(float64(longest) * (0.5 + mathrand.Float64()/2))
	if !isTakenOver {
		delay = max(asked, delay)
	}
	*count++
	if a.isOver(may.isAway, *count, delay) {
		return failure
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// isOver reports whether no attempt is left after as many pauses.
func (a *attempts) isOver(isAway bool, pauses int, delay time.Duration) bool {
	longest := a.longest
	if longest == 0 && a.endpoints.hasAnswered.Load() {
		longest = defaultRetryTime
	}
	if longest == 0 || !a.isTimed && (!isAway || a.retries <= 0) {
		return pauses > a.retries
	}
	if a.since.IsZero() {
		a.since = time.Now()
	}
	return longest != withoutEnd && time.Since(a.since)+delay > longest
}
