package svc_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svc-grid/svc-go"
)

func TestRowsAreImportedAndExportedAsStreams(t *testing.T) {
	ctx, client := t.Context(), svc.New(svc.Options{URL: openURL})
	cache := newCache(t, client)
	csv := svc.ImportParameters{CacheName: cache, Format: "csv", ValueType: "long"}
	stored := must[svc.ImportResult](t)(client.Import(ctx, strings.NewReader("key,value\na,1\nb,9007199254740993\n"), csv))
	equal(t, []any{stored.State, stored.Rows}, []any{"done", int64(2)})
	value := must[any](t)(client.Get(ctx, svc.GetParameters{CacheName: cache, Key: "b"}))
	equal(t, value, int64(9_007_199_254_740_993))
	exported := must[io.ReadCloser](t)(client.Export(ctx, svc.ExportParameters{CacheName: cache, Format: "ndjson"}))
	defer exported.Close()
	lines := strings.Split(string(must[[]byte](t)(io.ReadAll(exported))), "\n")
	equal(t, []any{len(lines), strings.Count(strings.Join(lines, ""), "9007199254740993")}, []any{3, 1})
	_, err := client.Import(ctx, strings.NewReader("key,value\na,1\nb,x\n"), csv)
	failure := failureOf(t, err)
	response, _ := failure.Response.(map[string]any)
	equal(t, []any{failure.Command, failure.Status, response["rows"]}, []any{"import", 400, int64(1)})
	_, err = client.Export(ctx, svc.ExportParameters{CacheName: "none", Format: "csv"})
	missing := failureOf(t, err)
	equal(t, []any{missing.Command, missing.Status}, []any{"export", 404})
	_, err = client.Export(ctx, svc.ExportParameters{CacheName: cache})
	equal(t, err.Error(), `Format must be csv or ndjson, got ""`)
}

func TestASourceIsImportedWhileItIsRead(t *testing.T) {
	ctx, client := t.Context(), svc.New(svc.Options{URL: closedURL, User: "svc", Password: password})
	cache := newCache(t, client)
	reader, writer := io.Pipe()
	go func() {
		encoder := json.NewEncoder(writer)
		for number := range 100 {
			_ = encoder.Encode(map[string]any{"key": fmt.Sprint(number), "value": number})
		}
		writer.Close()
	}()
	stored := must[svc.ImportResult](t)(client.Import(ctx, reader, svc.ImportParameters{CacheName: cache, Format: "ndjson"}))
	equal(t, stored.Rows, int64(100))
	equal(t, must[int64](t)(client.Size(ctx, svc.SizeParameters{CacheName: cache})), int64(100))
}

func TestASourceThatCanSeekIsSentAgainToABusyService(t *testing.T) {
	faulty := startFaulty(t, openURL)
	client := svc.New(svc.Options{URL: faulty.url})
	cache := newCache(t, client)
	faulty.next(fault{status: 503})
	rows := strings.NewReader("key,value\na,1\n")
	parameters := svc.ImportParameters{CacheName: cache, Format: "csv"}
	equal(t, must[svc.ImportResult](t)(client.Import(t.Context(), rows, parameters)).Rows, int64(1))
	equal(t, faulty.seen(), []string{"import", "import"})
}

// slowRows is a slow reader of rows that records calls made during a read.
type slowRows struct {
	text    *strings.Reader
	reading atomic.Bool
	misused atomic.Bool
}

func (r *slowRows) Read(target []byte) (int, error) {
	r.reading.Store(true)
	defer r.reading.Store(false)
	time.Sleep(400 * time.Millisecond)
	return r.text.Read(target)
}

func (r *slowRows) Seek(offset int64, whence int) (int64, error) {
	r.note()
	return r.text.Seek(offset, whence)
}

func (r *slowRows) note() {
	if r.reading.Load() {
		r.misused.Store(true)
	}
}

func TestASourceIsNotReadBesideASeekOrAfterTheImport(t *testing.T) {
	text := "key,value\na,1\n"
	statuses := []int{http.StatusServiceUnavailable, http.StatusOK, http.StatusBadRequest}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := statuses[0]
		statuses = statuses[1:]
		if status == http.StatusOK {
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, `{"successStatus":0,"response":{"state":"done","rows":%d}}`, len(body))
			return
		}
		// Answers before the rows arrive.
		w.Header().Set("Connection", "close")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"successStatus":1,"error":"no"}`)
	}))
	defer server.Close()
	client := svc.New(svc.Options{URL: server.URL + "/svc"})
	parameters := svc.ImportParameters{CacheName: "c", Format: "csv"}
	rows := &slowRows{text: strings.NewReader(text)}
	equal(t, must[svc.ImportResult](t)(client.Import(t.Context(), rows, parameters)).Rows, int64(len(text)))
	equal(t, rows.misused.Load(), false)
	rows = &slowRows{text: strings.NewReader(text)}
	_, err := client.Import(t.Context(), rows, parameters)
	rows.note()
	equal(t, []any{failureOf(t, err).Status, rows.misused.Load()}, []any{http.StatusBadRequest, false})
}

func TestAnImportDoesNotWaitForASourceThatHasNoRowsYet(t *testing.T) {
	faulty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// Answers before the rows arrive.
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"successStatus":1,"error":"no"}`)
	}))
	defer faulty.Close()
	reader, writer := io.Pipe()
	defer writer.Close()
	client := svc.New(svc.Options{URL: faulty.URL + "/svc"})
	_, err := client.Import(t.Context(), reader, svc.ImportParameters{CacheName: "c", Format: "csv"})
	equal(t, failureOf(t, err).Status, http.StatusBadRequest)
}

func TestRowsThatAnErrorEndsFailWithItsCode(t *testing.T) {
	lines := `{"id":1}` + "\n" + `{"error":{"code":"QUERY_LOST","message":"lost","remedy":"again"}}` + "\n"
	rows := fault{status: 200, body: lines, header: map[string]string{"Content-Type": "application/x-ndjson"}}
	answering := startFaulty(t, openURL)
	cutting := startFaulty(t, answering.url)
	client := svc.New(svc.Options{URL: cutting.url})
	table := svc.ExportParameters{Table: "T", Format: "ndjson"}
	// Rows that end as they should may look the same.
	answering.next(rows, rows)
	cutting.next(fault{}, fault{lines: 2})
	whole := must[io.ReadCloser](t)(client.Export(t.Context(), table))
	equal(t, string(must[[]byte](t)(io.ReadAll(whole))), lines)
	cut := must[io.ReadCloser](t)(client.Export(t.Context(), table))
	text, err := io.ReadAll(cut)
	equal(t, string(text), `{"id":1}`+"\n")
	failure := failureOf(t, err)
	equal(t, []any{failure.Code, failure.Message, failure.Command}, []any{svc.CodeQueryLost, "lost", "export"})
}

func TestABackupIsAStreamOfBytes(t *testing.T) {
	client := svc.New(svc.Options{URL: closedURL, User: "svc", Password: password})
	backup := must[io.ReadCloser](t)(client.BackupStream(t.Context()))
	defer backup.Close()
	if bytes := must[int64](t)(io.Copy(io.Discard, backup)); bytes < 1_000 {
		t.Fatal(bytes)
	}
}
