// Package svc is the client of svc, a durable data grid with an HTTP API: a method for each command, exact numbers,
// sessions, safe retries, bulk commands of any size, cursors and the change feed.
package svc

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options configure a client.
type Options struct {
	// URL is the endpoint: http://localhost:8080/svc. It can list the endpoints of a primary and its standbys,
	// separated by commas: the client finds the primary, and sends nothing to any other address. With an invalid URL,
	// every call returns an error.
	URL string
	// User and Password are the credentials with which the client logs in before the first command, and again when the
	// session has expired.
	User     string
	Password string
	// Token is an API key or a JSON Web Token, instead of a user.
	Token string
	// Retries is how often a request is repeated after a busy service has rejected it. Default: 4. If negative, no
	// request is repeated.
	Retries int
	// RetryTime is how long a request is retried while the service is unavailable, because it restarts or a standby
	// takes over. Default: 30 s, but until the service has answered for the first time, at most Retries times.
	RetryTime time.Duration
	// Timeout limits the time of each request, except for streams. Default: none.
	Timeout time.Duration
	// BulkKeys is the maximum number of keys in one request of a bulk command; longer ones are split. Default: 1,000.
	BulkKeys int
	// Dates is how responses write dates, times and timestamps: "text" (the default), as Ignite does, or "iso", as ISO 8601.
	Dates string
	// Batching sends calls for single keys that goroutines make at the same time as one batch, which is not atomic. A
	// call with its own IdempotencyKey, or whose context has a deadline, is sent on its own.
	Batching bool
	// TLS has the certificates to trust and to present.
	TLS *tls.Config
	// HTTPClient replaces the client's own http.Client. TLS then has no effect.
	HTTPClient *http.Client
}

// Client sends commands to a service. It is safe for concurrent use by multiple goroutines.
type Client struct {
	options Options
	// invalid is the error in the options, if any.
	invalid     error
	endpoints   *endpoints
	serviceName string
	// login has one element while no goroutine is logging in.
	login   chan struct{}
	session *session
	// batching is nil if calls are not batched.
	batching *batching
}

type session struct {
	token string
}

const (
	defaultPageSize = 1_000
	defaultBulkKeys = 1_000
	loginCommand    = "authenticate"
)

// repetition says how often a request may be sent.
type repetition int

const (
	// once: not resent unless it was rejected.
	once repetition = iota
	// keyed: resent with its idempotency key.
	keyed
	// anyTimes: resent freely, because it changes nothing.
	anyTimes
	// never: not resent even after a rejection, because its body cannot be read again.
	never
)

// traits say how a command is sent.
type traits struct {
	repeats repetition
	paged   bool
	// batched: calls made at the same time may share a batch.
	batched bool
}

// New returns a client. It connects when it is used.
func New(options Options) *Client {
	urls, invalid := urlsOf(options.URL)
	if invalid == nil {
		invalid = options.invalid()
	}
	if options.Retries == 0 {
		options.Retries = defaultRetries
	}
	if options.BulkKeys <= 0 {
		options.BulkKeys = defaultBulkKeys
	}
	if options.HTTPClient == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = options.TLS
		transport.MaxIdleConnsPerHost = transport.MaxIdleConns
		// A redirect would send the credentials to another address.
		options.HTTPClient = &http.Client{Transport: transport, CheckRedirect: followNone}
	}
	client := &Client{
		options:   options,
		invalid:   invalid,
		endpoints: &endpoints{urls: urls},
		login:     make(chan struct{}, 1),
	}
	if len(urls) > 0 {
		client.serviceName = serviceName(urls[0])
	}
	if options.Batching {
		client.batching = &batching{}
	}
	client.login <- struct{}{}
	return client
}

// invalid returns the error in the options, if any.
func (o Options) invalid() error {
	switch {
	case !isPrintable(o.Token) || strings.Contains(o.Token, " "):
		// Its text is a secret.
		return errors.New("Token must consist of visible ASCII characters: is there a line break at its end?")
	case o.Timeout < 0:
		return fmt.Errorf("Timeout must not be negative, got %v", o.Timeout)
	case o.RetryTime < 0:
		return fmt.Errorf("RetryTime must not be negative, got %v", o.RetryTime)
	case o.Dates != "" && o.Dates != "text" && o.Dates != "iso":
		return fmt.Errorf("Dates must be text or iso, got %q", o.Dates)
	case o.BulkKeys < 0:
		return fmt.Errorf("BulkKeys must not be negative, got %d", o.BulkKeys)
	}
	return nil
}

func followNone(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}

func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(each rune) bool { return each < ' ' || each > '~' })
}

// Call executes a command by its name, with parameters as the service names them, and returns its response.
func (c *Client) Call(ctx context.Context, command string, parameters map[string]any) (any, error) {
	return call[any](ctx, c, command, parameters, "")
}

// call executes a command, splitting bulk commands.
func call[T any](ctx context.Context, c *Client, command string, parameters any, key string) (T, error) {
	var none T
	given := members(parameters)
	if c.batching.takes(ctx, command, given, key) {
		response, err := c.add(ctx, command, given)
		if err != nil {
			return none, err
		}
		return decode[T](response, true)
	}
	parts, err := split(given, c.options.BulkKeys)
	if err != nil {
		return none, err
	}
	responses := make([]T, len(parts))
	for at, part := range parts {
		own := key
		if key != "" && len(parts) > 1 {
			own = fmt.Sprintf("%s/%d", key, at)
		}
		if responses[at], err = send[T](ctx, c, command, part, own, true); err != nil {
			return none, err
		}
	}
	return merged(responses), nil
}

// send executes a command with one request.
func send[T any](
	ctx context.Context, c *Client, command string, parameters map[string]any, key string, exact bool,
) (T, error) {
	var none T
	request, err := c.request(command, parameters, key)
	if err != nil {
		return none, err
	}
	read, stream, err := c.exchange(ctx, request)
	if err != nil {
		return none, err
	}
	if stream != nil {
		stream.Body.Close()
		return none, &Error{Message: "The response is a stream", Command: command, Status: stream.StatusCode}
	}
	return decode[T](read.Response, exact)
}

// request is a request of any command.
type request struct {
	command string
	query   url.Values
	header  http.Header
	body    func() (io.Reader, error)
	repeats repetition
	// streams: the response may be a stream instead of an envelope.
	streams bool
	// unknownOf returns the failure in a response that leaves it unknown whether the whole request was executed.
	unknownOf func(response json.RawMessage) error
}

func (c *Client) request(command string, parameters map[string]any, key string) (request, error) {
	// A command of a later version has no traits here and may not be repeatable.
	traits := traitsOf[command]
	sent, err := withTypes(parameters)
	if err != nil {
		return request{}, err
	}
	for name, value := range sent {
		if rest, isOfService := strings.CutPrefix(name, "svc."); isOfService && c.serviceName != "svc" {
			delete(sent, name)
			sent[c.serviceName+"."+rest] = value
		}
	}
	if traits.paged && sent["pageSize"] == nil {
		sent["pageSize"] = defaultPageSize
	}
	body, err := json.Marshal(sent)
	if err != nil {
		return request{}, named(sent, err)
	}
	if !isPrintable(key) {
		return request{}, fmt.Errorf("IdempotencyKey must consist of printable ASCII characters, got %q", key)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if traits.repeats == keyed && key == "" {
		key = randomKey()
	}
	if key != "" {
		header.Set("Idempotency-Key", key)
	}
	return request{command: command, header: header, body: bodyOf(body), repeats: traits.repeats}, nil
}

// named returns why parameters cannot be encoded as JSON, naming the parameter at fault.
func named(parameters map[string]any, failure error) error {
	for name, value := range parameters {
		if _, err := json.Marshal(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return failure
}

func bodyOf(body []byte) func() (io.Reader, error) {
	return func() (io.Reader, error) { return bytes.NewReader(body), nil }
}

func randomKey() string {
	var key [16]byte
	// It never fails.
	_, _ = rand.Read(key[:])
	return hex.EncodeToString(key[:])
}

// exchange sends a request and retries it after transient failures. It returns an envelope, or a stream's response.
func (c *Client) exchange(ctx context.Context, r request) (envelope, *http.Response, error) {
	if c.invalid != nil {
		return envelope{}, nil, c.invalid
	}
	isLogin := r.command == loginCommand
	mayRenew := c.options.User != "" && !isLogin && r.repeats != never
	attempts := c.attempts()
	for {
		token := ""
		if !isLogin {
			var err error
			if token, err = c.token(ctx); err != nil {
				return envelope{}, nil, err
			}
		}
		address := c.endpoints.current()
		answer, stream, failure := c.attempt(ctx, r, token, address)
		if stream != nil {
			return envelope{}, stream, nil
		}
		if err := ctx.Err(); err != nil {
			return envelope{}, nil, context.Cause(ctx)
		}
		var asked time.Duration
		if failure == nil {
			read, err := answer.read(r.command)
			if err == nil && r.unknownOf != nil {
				err = r.unknownOf(read.Response)
			}
			if err == nil {
				return read, nil, nil
			}
			if answer.status == http.StatusUnauthorized && mayRenew {
				mayRenew = false
				c.forget(token)
				continue
			}
			failure = err
			if seconds, err := strconv.Atoi(answer.retryAfter); err == nil {
				asked = time.Duration(seconds) * time.Second
			}
		}
		may, isPassing := passingOf(failure)
		isSafe := r.repeats == keyed || r.repeats == anyTimes
		// The service delays guessers, and waiting does not make a password right.
		isGuess := isLogin && answer.status == http.StatusTooManyRequests
		if !isPassing || isGuess || r.repeats == never || may.isUnknown && !isSafe {
			return envelope{}, nil, failure
		}
		if err := attempts.pause(ctx, failure, may, address, asked); err != nil {
			return envelope{}, nil, err
		}
	}
}

// attempt sends a request once and reads its response, unless it is a stream.
func (c *Client) attempt(
	ctx context.Context, r request, token, address string,
) (answer, *http.Response, error) {
	body, err := r.body()
	if err != nil {
		return answer{}, nil, err
	}
	query := url.Values{"httpStatus": {"true"}}
	for name, values := range r.query {
		query[name] = values
	}
	if c.options.Timeout > 0 && !r.streams && r.repeats != never {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.options.Timeout)
		defer cancel()
	}
	sent, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/"+r.command+"?"+query.Encode(), body)
	if err != nil {
		return answer{}, nil, err
	}
	c.setHeader(sent, r.header, token)
	response, err := c.options.HTTPClient.Do(sent)
	if err != nil {
		return answer{}, nil, err
	}
	c.endpoints.hasAnswered.Store(true)
	if r.streams && isStream(response) {
		return answer{}, response, nil
	}
	read, err := readAnswer(response)
	return read, nil, err
}

func (c *Client) setHeader(r *http.Request, header http.Header, token string) {
	// A preference, because services that do not know it ignore it.
	preferences := "errors=object"
	if c.options.Dates != "" {
		preferences += ", dates=" + c.options.Dates
	}
	r.Header.Set("Prefer", preferences)
	r.Header.Set("User-Agent", "svc-go/"+Version)
	for name, values := range header {
		r.Header[name] = values
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
}

func readAnswer(response *http.Response) (answer, error) {
	defer response.Body.Close()
	// The connection may also fail while the body arrives.
	body, err := io.ReadAll(response.Body)
	return answer{
		status:     response.StatusCode,
		errorCode:  response.Header.Get("Error-Code"),
		retryAfter: response.Header.Get("Retry-After"),
		body:       body,
	}, err
}

// isStream reports whether a response is a stream: failures are envelopes.
func isStream(response *http.Response) bool {
	kind := response.Header.Get("Content-Type")
	return isOK(response.StatusCode) && kind != "" && !strings.HasPrefix(kind, "application/json")
}

// token returns the token to send, logging in if there is none.
func (c *Client) token(ctx context.Context) (string, error) {
	if c.options.Token != "" || c.options.User == "" {
		return c.options.Token, nil
	}
	select {
	case <-c.login:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	defer func() { c.login <- struct{}{} }()
	if c.session != nil {
		return c.session.token, nil
	}
	body, err := json.Marshal(map[string]string{
		c.serviceName + ".login":    c.options.User,
		c.serviceName + ".password": c.options.Password,
	})
	if err != nil {
		return "", err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	read, _, err := c.exchange(ctx, request{command: loginCommand, header: header, body: bodyOf(body), repeats: anyTimes})
	if err != nil {
		return "", err
	}
	// Without authentication, a service returns no token and needs none.
	c.session = &session{}
	if read.SessionToken != nil {
		c.session.token = *read.SessionToken
	}
	return c.session.token, nil
}

func (c *Client) forget(token string) {
	<-c.login
	defer func() { c.login <- struct{}{} }()
	if c.session != nil && c.session.token == token {
		c.session = nil
	}
}

// isNetwork reports whether a failure was not reported by the service.
func isNetwork(err error) bool {
	var failure *Error
	return !errors.As(err, &failure)
}
