package svc_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"reflect"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/svc-grid/svc-go"
)

// The cases of test/client/suite.ts. test/clients/go-client.long.test.ts starts the services.
var (
	openURL   = os.Getenv("SVC_OPEN_URL")
	closedURL = os.Getenv("SVC_CLOSED_URL")
	password  = os.Getenv("SVC_PASSWORD")
)

func TestMain(m *testing.M) {
	if openURL == "" || closedURL == "" {
		fmt.Println("SVC_OPEN_URL and SVC_CLOSED_URL must name services: test/clients/go-client.long.test.ts")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func equal(t *testing.T, actual, expected any) {
	t.Helper()
	if !reflect.DeepEqual(actual, expected) {
		t.Fatalf("%#v instead of %#v", actual, expected)
	}
}

func failureOf(t *testing.T, err error) *svc.Error {
	t.Helper()
	var failure *svc.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v is not an error of the service", err)
	}
	return failure
}

func unique(name string) string {
	return fmt.Sprintf("%s%d", name, time.Now().UnixNano())
}

func newCache(t *testing.T, client *svc.Client) string {
	t.Helper()
	name := unique("go")
	if err := client.Getorcreate(t.Context(), svc.GetorcreateParameters{CacheName: name}); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestKeysAndValuesKeepTheirTypesAndDigits(t *testing.T) {
	ctx, client := t.Context(), svc.New(svc.Options{URL: openURL})
	cache := newCache(t, client)
	values := []any{
		"text é€😀\x00\"\\<&>",
		int64(9_007_199_254_740_993),
		int64(-5),
		int64(math.MaxInt64),
		1.5,
		0.1,
		true,
		svc.Decimal("1234567890123456789.012345"),
		svc.Decimal("2410611.00"),
		svc.Decimal("1E+3"),
		1e20,
		1e-7,
		map[string]any{"name": "Ann", "ids": []any{int64(9_007_199_254_740_993), "a"}},
		[]any{"a", int64(1), map[string]any{}},
	}
	for at, value := range values {
		key := fmt.Sprint("v", at)
		must[bool](t)(client.Put(ctx, svc.PutParameters{CacheName: cache, Key: key, Val: value}))
		equal(t, must[any](t)(client.Get(ctx, svc.GetParameters{CacheName: cache, Key: key})), value)
	}
	person := &struct{ Name string }{"Ann"}
	must[bool](t)(client.Put(ctx, svc.PutParameters{CacheName: cache, Key: "struct", Val: person}))
	stored := must[any](t)(client.Get(ctx, svc.GetParameters{CacheName: cache, Key: "struct"}))
	equal(t, stored, map[string]any{"Name": "Ann"})
	must[bool](t)(client.Put(ctx, svc.PutParameters{CacheName: cache, Key: 7, Val: int8(1)}))
	typed := svc.GetParameters{CacheName: cache, Key: "7", KeyType: "long"}
	equal(t, must[any](t)(client.Get(ctx, typed)), int64(1))
	equal(t, must[any](t)(client.Get(ctx, svc.GetParameters{CacheName: cache, Key: "7"})), nil)
	all := svc.GetallParameters{CacheName: cache, Keys: svc.Values([]string{"v0", "v1", "none"})}
	equal(t, must[map[string]any](t)(client.Getall(ctx, all)), map[string]any{"v0": values[0], "v1": values[1]})
	huge := must[any](t)(client.Call(ctx, "put", map[string]any{
		"cacheName": cache, "key": "huge", "val": svc.Decimal("123456789012345678901"), "valueType": "biginteger",
	}))
	equal(t, huge, true)
	integer, _ := new(big.Int).SetString("123456789012345678901", 10)
	equal(t, must[any](t)(client.Get(ctx, svc.GetParameters{CacheName: cache, Key: "huge"})), integer)
}

func TestValuesThatJSONDoesNotHaveAreRejected(t *testing.T) {
	client := svc.New(svc.Options{URL: openURL})
	for _, value := range []any{math.NaN(), svc.Decimal("one"), func() {}} {
		if _, err := client.Put(t.Context(), svc.PutParameters{Key: "a", Val: value}); err == nil {
			t.Fatalf("%v was stored", value)
		}
	}
	_, err := client.Getall(t.Context(), svc.GetallParameters{Keys: []any{1, "a"}})
	equal(t, err.Error(), "keys has values of several types")
}

func TestCountersBeyondDoublesAreExact(t *testing.T) {
	ctx, client := t.Context(), svc.New(svc.Options{URL: openURL})
	cache := newCache(t, client)
	equal(t, must[int64](t)(client.Size(ctx, svc.SizeParameters{CacheName: cache})), int64(0))
	counter := svc.IncrParameters{Key: cache, Init: svc.Ptr(int64(9_007_199_254_740_992)), Delta: 1}
	equal(t, must[int64](t)(client.Incr(ctx, counter)), int64(9_007_199_254_740_993))
}

func TestAWriteWhoseAnswerIsLostIsExecutedOnce(t *testing.T) {
	faulty := startFaulty(t, openURL)
	client := svc.New(svc.Options{URL: faulty.url})
	faulty.next(fault{losesAnswer: true}, fault{losesAnswer: true})
	key := unique("lost")
	equal(t, must[int64](t)(client.Incr(t.Context(), svc.IncrParameters{Key: key, Delta: 3})), int64(3))
	equal(t, must[int64](t)(client.Incr(t.Context(), svc.IncrParameters{Key: key, Delta: 0})), int64(3))
	equal(t, faulty.seen(), []string{"incr", "incr", "incr", "incr"})
	keys := faulty.keys
	if keys[0] == "" || keys[0] != keys[1] || keys[0] != keys[2] || keys[0] == keys[3] {
		t.Fatal(keys)
	}
}

func TestAnIdempotencyKeyOfTheCallerHasOneEffect(t *testing.T) {
	ctx, client := t.Context(), svc.New(svc.Options{URL: openURL})
	parameters := svc.IncrParameters{Key: unique("once"), Delta: 2, IdempotencyKey: unique("key")}
	for range 3 {
		equal(t, must[int64](t)(client.Incr(ctx, parameters)), int64(2))
	}
	equal(t, must[int64](t)(client.Incr(ctx, svc.IncrParameters{Key: parameters.Key})), int64(2))
	parameters.Delta = 5
	_, err := client.Incr(ctx, parameters)
	equal(t, svc.CodeOf(err), svc.CodeIdempotencyKeyReused)
}

func TestABusyServiceIsAskedAgainAfterTheTimeThatItAsksFor(t *testing.T) {
	faulty := startFaulty(t, openURL)
	client := svc.New(svc.Options{URL: faulty.url})
	faulty.next(fault{status: 503, header: map[string]string{"Retry-After": "1"}})
	started := time.Now()
	must[string](t)(client.Version(t.Context(), svc.VersionParameters{}))
	if passed := time.Since(started); passed < 990*time.Millisecond {
		t.Fatal(passed)
	}
}

func TestACommandWithoutKeyIsRepeatedOnlyIfItWasNotExecuted(t *testing.T) {
	faulty := startFaulty(t, openURL)
	ctx, client := t.Context(), svc.New(svc.Options{URL: faulty.url})
	first := svc.QryfldexeParameters{Qry: "SELECT X FROM SYSTEM_RANGE(1, 5)", PageSize: svc.Ptr(int64(2))}
	page := must[svc.QryfldexeResult](t)(client.Qryfldexe(ctx, first))
	fetch := svc.QryfetchParameters{QryID: page.QueryID, PageSize: svc.Ptr(int64(2))}
	faulty.next(fault{status: 429})
	equal(t, must[svc.QryfetchResult](t)(client.Qryfetch(ctx, fetch)).Items, []any{[]any{int64(3)}, []any{int64(4)}})
	equal(t, faulty.seen(), []string{"qryfetch", "qryfetch"})
	faulty.next(fault{losesAnswer: true})
	if _, err := client.Qryfetch(ctx, fetch); err == nil || svc.CodeOf(err) != "" {
		t.Fatal(err)
	}
	equal(t, faulty.seen(), []string{"qryfetch"})
}

func TestAFailureThatDoesNotPassIsNotRepeated(t *testing.T) {
	faulty := startFaulty(t, openURL)
	client := svc.New(svc.Options{URL: faulty.url})
	_, err := client.Get(t.Context(), svc.GetParameters{CacheName: "none", Key: "a"})
	failure := failureOf(t, err)
	equal(t, []any{failure.Command, failure.SuccessStatus, failure.Status}, []any{"get", 1, 404})
	equal(t, err.Error(), "Failed to find cache for given cache name: none")
	equal(t, faulty.seen(), []string{"get"})
}

func TestAFailureHasItsCodeAndSaysWhatIsWrong(t *testing.T) {
	ctx, client := t.Context(), svc.New(svc.Options{URL: openURL})
	first := func(err error) error { return err }
	for _, each := range []struct {
		err       error
		code      svc.ErrorCode
		parameter string
		position  int
	}{
		{first(errorOf(client.Get(ctx, svc.GetParameters{CacheName: "none", Key: "a"}))), "CACHE_NOT_FOUND", "", 0},
		{first(errorOf(client.Get(ctx, svc.GetParameters{Key: "x", KeyType: "int"}))), "CONVERSION", "key", 0},
		{last(client.Query(ctx, "SELECT nothing", svc.QueryOptions{})), "SQL_OBJECT_NOT_FOUND", "", 8},
		{last(client.Watch(ctx, svc.WatchOptions{Caches: []string{"none"}})), "CACHE_NOT_FOUND", "", 0},
	} {
		failure := failureOf(t, each.err)
		equal(t, []any{failure.Code, failure.Parameter, failure.Position}, []any{each.code, each.parameter, each.position})
		equal(t, failure.Documentation, "/docs/errors/"+string(each.code))
		if failure.Remedy == "" {
			t.Fatal("no remedy")
		}
	}
	commands := []map[string]any{{"cmd": "get"}}
	_, err := client.Batch(ctx, svc.BatchParameters{Commands: commands, Atomic: svc.Ptr(true)})
	equal(t, svc.CodeOf(err), svc.CodeParameterMissing)
	results := must[[]svc.BatchResult](t)(client.Batch(ctx, svc.BatchParameters{Commands: commands}))
	equal(t, results[0].Error.Code, "PARAMETER_MISSING")
}

func errorOf[T any](_ T, err error) error {
	return err
}

// last returns the error that ends a loop.
func last[T any](items func(func(T, error) bool)) error {
	var last error
	for _, err := range items {
		last = err
	}
	return last
}

func TestACodeIsNeverDerivedFromAText(t *testing.T) {
	faulty := startFaulty(t, openURL)
	client := svc.New(svc.Options{URL: faulty.url, Retries: -1})
	body := `{"successStatus":1,"sessionToken":null,"error":"CACHE_NOT_FOUND","response":null}`
	faulty.next(
		fault{status: 200, body: body},
		fault{status: 404, body: "CACHE_NOT_FOUND"},
		fault{status: 200, body: body, header: map[string]string{"Error-Code": "INACTIVE"}},
	)
	for _, code := range []svc.ErrorCode{"", "", "INACTIVE"} {
		_, err := client.Version(t.Context(), svc.VersionParameters{})
		failure := failureOf(t, err)
		equal(t, []any{failure.Code, failure.Parameter}, []any{code, ""})
	}
}

func TestANetworkThatFailsForGoodIsReportedAfterTheRetries(t *testing.T) {
	faulty := startFaulty(t, openURL)
	faulty.next(fault{losesAnswer: true}, fault{losesAnswer: true})
	for _, url := range []string{faulty.url, "http://127.0.0.1:1/svc"} {
		client := svc.New(svc.Options{URL: url, Retries: 1})
		if _, err := client.Version(t.Context(), svc.VersionParameters{}); err == nil || svc.CodeOf(err) != "" {
			t.Fatal(err)
		}
	}
	equal(t, faulty.seen(), []string{"version", "version"})
}

func TestATimeLimitEndsARequest(t *testing.T) {
	client := svc.New(svc.Options{URL: openURL, Timeout: 50 * time.Millisecond, Retries: -1})
	_, err := client.Qryfldexe(t.Context(), svc.QryfldexeParameters{
		Qry:     "SELECT COUNT(*) FROM SYSTEM_RANGE(1, 3000000) A, SYSTEM_RANGE(1, 3000000) B",
		Timeout: svc.Ptr(int64(5000)),
	})
	equal(t, errors.Is(err, context.DeadlineExceeded), true)
}

func TestAContextCancelsACallAndTheWaitBeforeARetry(t *testing.T) {
	faulty := startFaulty(t, openURL)
	client := svc.New(svc.Options{URL: faulty.url})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	faulty.next(fault{status: 503, header: map[string]string{"Retry-After": "20"}, then: func() {
		time.AfterFunc(50*time.Millisecond, cancel)
	}})
	_, err := client.Version(ctx, svc.VersionParameters{})
	equal(t, errors.Is(err, context.Canceled), true)
	_, err = client.Version(ctx, svc.VersionParameters{})
	equal(t, errors.Is(err, context.Canceled), true)
}

func TestTheClientLogsInOnceAndAgainWhenItsSessionHasExpired(t *testing.T) {
	faulty := startFaulty(t, closedURL)
	ctx, client := t.Context(), svc.New(svc.Options{URL: faulty.url, User: "svc", Password: password})
	var all sync.WaitGroup
	for range 3 {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := client.Size(ctx, svc.SizeParameters{}); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	seen := faulty.seen()
	sort.Strings(seen)
	equal(t, seen, []string{"authenticate", "size", "size", "size"})
	faulty.next(fault{token: strings.Repeat("0", 32)})
	must[int64](t)(client.Size(ctx, svc.SizeParameters{}))
	equal(t, faulty.seen(), []string{"size", "authenticate", "size"})
}

func TestAWrongPasswordAndAMissingLoginAreReported(t *testing.T) {
	for code, options := range map[svc.ErrorCode]svc.Options{
		svc.CodeCredentialsWrong: {URL: closedURL, User: "svc", Password: "wrong"},
		svc.CodeTokenMissing:     {URL: closedURL},
	} {
		_, err := svc.New(options).Size(t.Context(), svc.SizeParameters{})
		failure := failureOf(t, err)
		equal(t, []any{failure.Status, failure.Code}, []any{401, code})
	}
}

func TestAnAPIKeyReplacesALogin(t *testing.T) {
	ctx, admin := t.Context(), svc.New(svc.Options{URL: closedURL, User: "svc", Password: password})
	made := must[svc.ApikeyaddResult](t)(admin.Apikeyadd(ctx, svc.ApikeyaddParameters{Name: unique("go")}))
	must[int64](t)(svc.New(svc.Options{URL: closedURL, Token: made.Key}).Size(ctx, svc.SizeParameters{}))
	must[bool](t)(admin.Apikeyrmv(ctx, svc.ApikeyrmvParameters{ID: made.ID}))
}

func TestBulkCommandsOfAnySizeAreSplit(t *testing.T) {
	faulty := startFaulty(t, openURL)
	ctx, client := t.Context(), svc.New(svc.Options{URL: faulty.url, BulkKeys: 10})
	cache := newCache(t, client)
	var keys, values []any
	expected := map[string]any{}
	for at := range 25 {
		key := fmt.Sprint("k", at)
		keys, values = append(keys, key), append(values, at)
		expected[key] = int64(at)
	}
	faulty.next()
	must[bool](t)(client.Putall(ctx, svc.PutallParameters{CacheName: cache, Keys: keys, Values: values}))
	equal(t, faulty.seen(), []string{"putall", "putall", "putall"})
	equal(t, must[map[string]any](t)(client.Getall(ctx, svc.GetallParameters{CacheName: cache, Keys: keys})), expected)
	more := append(append([]any{}, keys...), "none")
	equal(t, must[bool](t)(client.Conkeys(ctx, svc.ConkeysParameters{CacheName: cache, Keys: more})), false)
	equal(t, must[bool](t)(client.Conkeys(ctx, svc.ConkeysParameters{CacheName: cache, Keys: keys})), true)
	must[bool](t)(client.Rmvall(ctx, svc.RmvallParameters{CacheName: cache, Keys: keys}))
	equal(t, must[int64](t)(client.Size(ctx, svc.SizeParameters{CacheName: cache})), int64(0))
	_, err := client.Putall(ctx, svc.PutallParameters{CacheName: cache, Keys: keys, Values: values[:1]})
	equal(t, err.Error(), fmt.Sprintf("Keys and Values differ in number: %d and 1", len(keys)))
}

func rowsOf(t *testing.T, rows func(func([]any, error) bool)) [][]any {
	t.Helper()
	var found [][]any
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, row)
	}
	return found
}

func TestAQueryReturnsDecimalsOfEveryPageAsTheyWereSent(t *testing.T) {
	client := svc.New(svc.Options{URL: openURL})
	qry := "SELECT CAST(X AS DECIMAL(10, 1)), CAST(X / 2.0 AS DOUBLE), 1.50 FROM SYSTEM_RANGE(1, 3)"
	equal(t, rowsOf(t, client.Query(t.Context(), qry, svc.QueryOptions{PageSize: 2})), [][]any{
		{svc.Decimal("1.0"), 0.5, svc.Decimal("1.50")},
		{svc.Decimal("2.0"), 1.0, svc.Decimal("1.50")},
		{svc.Decimal("3.0"), 1.5, svc.Decimal("1.50")},
	})
}

func TestAQueryReturnsTheRowsOfThreePages(t *testing.T) {
	faulty := startFaulty(t, openURL)
	client := svc.New(svc.Options{URL: faulty.url})
	qry := "SELECT X, CAST(X AS VARCHAR) FROM SYSTEM_RANGE(1, ?)"
	equal(t, rowsOf(t, client.Query(t.Context(), qry, svc.QueryOptions{Args: []any{5}, PageSize: 2})), [][]any{
		{int64(1), "1"}, {int64(2), "2"}, {int64(3), "3"}, {int64(4), "4"}, {int64(5), "5"},
	})
	equal(t, faulty.seen(), []string{"qryfldexe", "qryfetch", "qryfetch"})
}

func TestALoopThatEndsEarlyClosesItsCursor(t *testing.T) {
	faulty := startFaulty(t, openURL)
	client := svc.New(svc.Options{URL: faulty.url})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for row, err := range client.Query(ctx, "SELECT X FROM SYSTEM_RANGE(1, 1000)", svc.QueryOptions{PageSize: 10}) {
		if err != nil {
			t.Fatal(err)
		}
		if row[0] == int64(15) {
			cancel()
			break
		}
	}
	equal(t, faulty.seen(), []string{"qryfldexe", "qryfetch", "qrycls"})
}

func TestAScanReturnsTheEntries(t *testing.T) {
	ctx, client := t.Context(), svc.New(svc.Options{URL: openURL})
	cache := newCache(t, client)
	values := []any{"a", "b", "c"}
	must[bool](t)(client.Putall(ctx, svc.PutallParameters{CacheName: cache, Keys: []any{1, 2, 3}, Values: values}))
	must[bool](t)(client.Put(ctx, svc.PutParameters{CacheName: cache, Key: 4, Val: svc.Decimal("1.50")}))
	found := map[any]any{}
	for entry, err := range client.Scan(ctx, svc.ScanOptions{CacheName: cache, PageSize: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		found[entry.Key] = entry.Value
	}
	equal(t, found, map[any]any{int64(1): "a", int64(2): "b", int64(3): "c", int64(4): svc.Decimal("1.50")})
}

func changesOf(t *testing.T, changes func(func(svc.Change, error) bool)) []svc.Change {
	t.Helper()
	var found []svc.Change
	for change, err := range changes {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, change)
	}
	return found
}

func shown(changes []svc.Change) []string {
	var texts []string
	for _, change := range changes {
		texts = append(texts, fmt.Sprintf("%s %v=%v", change.Operation, change.Key, change.Value))
	}
	return texts
}

func TestWatchReturnsTheChangesAndResumesWhenTheConnectionEnds(t *testing.T) {
	faulty := startFaulty(t, openURL)
	ctx, client := t.Context(), svc.New(svc.Options{URL: faulty.url})
	cache := newCache(t, client)
	if err := client.Changefeed(ctx, svc.ChangefeedParameters{CacheName: cache}); err != nil {
		t.Fatal(err)
	}
	for _, val := range []string{"1", "2", "3"} {
		must[bool](t)(client.Put(ctx, svc.PutParameters{CacheName: cache, Key: "a", Val: val}))
	}
	faulty.next(fault{lines: 2})
	options := svc.WatchOptions{
		Caches: []string{cache}, From: "start", Operations: []string{"created", "updated"}, UntilNow: true,
	}
	changes := changesOf(t, client.Watch(ctx, options))
	equal(t, shown(changes), []string{"created a=1", "updated a=2", "updated a=3"})
	equal(t, faulty.seen(), []string{"watch", "watch"})
	later := changesOf(t, client.Watch(ctx, svc.WatchOptions{
		Caches: []string{cache}, From: changes[1].Position, WithOldValues: true, UntilNow: true,
	}))
	equal(t, []any{len(later), later[0].Value, later[0].OldValue}, []any{1, "3", "2"})
	if age := time.Since(later[0].Time); age < 0 || age > time.Minute {
		t.Fatal(age)
	}
	gone := failureOf(t, last(client.Watch(ctx, svc.WatchOptions{Caches: []string{cache}, From: "0123456789ab.1"})))
	equal(t, []any{gone.Status, gone.Code}, []any{410, svc.CodeChangePositionGone})
}

func TestWatchWaitsForChangesUntilItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	client := svc.New(svc.Options{URL: openURL})
	cache := newCache(t, client)
	if err := client.Changefeed(ctx, svc.ChangefeedParameters{CacheName: cache}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() {
		_, _ = client.Put(ctx, svc.PutParameters{CacheName: cache, Key: "a", Val: 1})
	})
	var values []any
	var ended error
	options := svc.WatchOptions{Caches: []string{cache}, From: "start", Operations: []string{"created"}}
	for change, err := range client.Watch(ctx, options) {
		if err != nil {
			ended = err
			continue
		}
		values = append(values, change.Value)
		time.AfterFunc(50*time.Millisecond, cancel)
	}
	equal(t, values, []any{int64(1)})
	equal(t, errors.Is(ended, context.Canceled), true)
}

func TestWatchLogsInAgainWhenTheSessionHasExpired(t *testing.T) {
	faulty := startFaulty(t, closedURL)
	ctx, client := t.Context(), svc.New(svc.Options{URL: faulty.url, User: "svc", Password: password})
	cache := unique("go")
	made := svc.GetorcreateParameters{CacheName: cache, ChangeFeed: svc.Ptr(true)}
	if err := client.Getorcreate(ctx, made); err != nil {
		t.Fatal(err)
	}
	must[bool](t)(client.Put(ctx, svc.PutParameters{CacheName: cache, Key: "a", Val: "1"}))
	faulty.next(fault{token: strings.Repeat("0", 32)})
	options := svc.WatchOptions{
		Caches: []string{cache}, From: "start", Operations: []string{"created"}, UntilNow: true,
	}
	equal(t, shown(changesOf(t, client.Watch(ctx, options))), []string{"created a=1"})
	equal(t, faulty.seen(), []string{"watch", "authenticate", "watch"})
}

func TestAStreamThatCannotBeResumedReportsWhereChangesMayBeMissing(t *testing.T) {
	opened := `{"event":"open","position":null,"resumable":false}` + "\n"
	gap := `{"event":"gap","position":null,"cache":"c","reason":"a node left"}` + "\n"
	change := `{"event":"change","position":null,"operation":"removed","cache":"c","time":"2026-01-02T03:04:05.006Z","key":"a"}` + "\n"
	end := `{"event":"end","position":null,"reason":"complete","error":null}` + "\n"
	// In front of a cluster the first stream ends without a word, the second one completely.
	streams := []fault{{status: 200, body: opened + change + gap}, {status: 200, body: opened + change + end}}
	faulty := startFaulty(t, openURL)
	client := svc.New(svc.Options{URL: faulty.url})
	faulty.next(streams...)
	var gaps []string
	options := svc.WatchOptions{OnGap: func(reason string) { gaps = append(gaps, reason) }}
	changes := changesOf(t, client.Watch(t.Context(), options))
	equal(t, []any{len(changes), changes[0].Position, changes[0].Time.UnixMilli()}, []any{2, "", int64(1767323045006)})
	equal(t, gaps, []string{"a node left", "the connection to the service ended"})
	faulty.next(streams...)
	failure := failureOf(t, last(client.Watch(t.Context(), svc.WatchOptions{})))
	equal(t, failure.Message, "Changes may be missing: a node left")
}

func TestABatchExecutesCommands(t *testing.T) {
	ctx, client := t.Context(), svc.New(svc.Options{URL: openURL})
	cache := newCache(t, client)
	results := must[[]svc.BatchResult](t)(client.Batch(ctx, svc.BatchParameters{Commands: []map[string]any{
		{"cmd": "put", "cacheName": cache, "key": "a", "val": "1"},
		{"cmd": "get", "cacheName": cache, "key": "a"},
	}}))
	equal(t, []any{results[0].Response, results[1].Response}, []any{true, "1"})
}
