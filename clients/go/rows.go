package svc

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// QueryOptions are the options of [Client.Query].
type QueryOptions struct {
	// Args are the arguments of the statement.
	Args []any
	// CacheName is the cache whose schema the statement uses.
	CacheName string
	// PageSize is the number of rows per request. Default: 1,000.
	PageSize int
}

// ScanOptions are the options of [Client.Scan].
type ScanOptions struct {
	// CacheName is the name of the cache. Default: the default cache.
	CacheName string
	// PageSize is the number of entries per request. Default: 1,000.
	PageSize int
}

// ScannedEntry is an entry of a scan.
type ScannedEntry struct {
	Key   any
	Value any
}

// page is a page whose numbers are as they were sent.
type page struct {
	Items          []json.RawMessage `json:"items"`
	FieldsMetadata []struct {
		FieldTypeName string `json:"fieldTypeName"`
	} `json:"fieldsMetadata"`
	Last    bool  `json:"last"`
	QueryID int64 `json:"queryId"`
}

// Query executes a statement and returns its rows one by one, read page by page. Numbers in decimal columns are
// Decimal. It closes the cursor when the loop ends early. An error ends the loop.
func (c *Client) Query(ctx context.Context, qry string, options QueryOptions) iter.Seq2[[]any, error] {
	parameters := map[string]any{"qry": qry}
	if len(options.Args) > 0 {
		parameters["args"] = options.Args
	}
	return func(yield func([]any, error) bool) {
		first := func(page page, item json.RawMessage) ([]any, error) {
			row, err := decode[[]any](item, false)
			for at := range row {
				convert := exactNumber
				if at < len(page.FieldsMetadata) && page.FieldsMetadata[at].FieldTypeName == decimalType {
					convert = decimalNumber
				}
				row[at] = replaced(row[at], convert)
			}
			return row, err
		}
		eachItem(ctx, c, "qryfldexe", parameters, options.CacheName, options.PageSize, first, yield)
	}
}

// Scan returns the entries of a cache one by one, read page by page. It closes the cursor when the loop ends early. An
// error ends the loop.
func (c *Client) Scan(ctx context.Context, options ScanOptions) iter.Seq2[ScannedEntry, error] {
	return func(yield func(ScannedEntry, error) bool) {
		entryOf := func(_ page, item json.RawMessage) (ScannedEntry, error) {
			return decode[ScannedEntry](item, true)
		}
		eachItem(ctx, c, "qryscanexe", map[string]any{}, options.CacheName, options.PageSize, entryOf, yield)
	}
}

// eachItem yields the items of all pages; convert gets the first page for each.
func eachItem[T any](
	ctx context.Context, c *Client, command string, parameters map[string]any, cacheName string, pageSize int,
	convert func(page, json.RawMessage) (T, error), yield func(T, error) bool,
) {
	var none T
	if cacheName != "" {
		parameters["cacheName"] = cacheName
	}
	if pageSize == 0 {
		pageSize = defaultPageSize
	}
	parameters["pageSize"] = pageSize
	first, err := send[page](ctx, c, command, parameters, "", false)
	if err != nil {
		yield(none, err)
		return
	}
	current := first
	defer func() {
		if !current.Last {
			c.closeCursor(ctx, first.QueryID)
		}
	}()
	for {
		for _, item := range current.Items {
			value, err := convert(first, item)
			if !yield(value, err) || err != nil {
				return
			}
		}
		if current.Last {
			return
		}
		fetch := map[string]any{"qryId": first.QueryID, "pageSize": pageSize}
		next, err := send[page](ctx, c, "qryfetch", fetch, "", false)
		if err != nil {
			yield(none, err)
			return
		}
		current = next
	}
}

// closeCursor closes a cursor even if the context has ended, which is one of the reasons to close it.
func (c *Client) closeCursor(ctx context.Context, id int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	// If this fails, the service closes the cursor after a while.
	_, _ = c.Qrycls(ctx, QryclsParameters{QryID: id})
}
