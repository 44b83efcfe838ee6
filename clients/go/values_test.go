package svc_test

import (
	"context"
	"testing"
	"time"

	"github.com/svc-grid/svc-go"
)

func TestTimesAndBytesHaveTheirTypes(t *testing.T) {
	client, ctx := svc.New(svc.Options{URL: openURL}), context.Background()
	cache := newCache(t, client)
	cases := []struct {
		value            any
		returned, column string
	}{
		{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "2026-01-02 03:04:05.0", "java.sql.Timestamp"},
		{time.Date(2026, 1, 2, 3, 4, 5, 123, time.FixedZone("", 7200)), "2026-01-02 01:04:05.000000123", "java.sql.Timestamp"},
		{[]byte{1, 2}, "AQI=", "[B"},
	}
	for _, each := range cases {
		put := svc.PutParameters{CacheName: cache, Key: "a", Val: each.value}
		equal(t, must[bool](t)(client.Put(ctx, put)), true)
		equal(t, must[any](t)(client.Get(ctx, svc.GetParameters{CacheName: cache, Key: "a"})), any(each.returned))
		both := svc.PutallParameters{CacheName: cache, Keys: []any{"b", "c"}, Values: []any{each.value, each.value}}
		equal(t, must[bool](t)(client.Putall(ctx, both)), true)
		equal(t, must[any](t)(client.Get(ctx, svc.GetParameters{CacheName: cache, Key: "c"})), any(each.returned))
		statement := svc.QryfldexeParameters{Qry: "SELECT ?, ?, ? IS NULL", Args: []any{"text", each.value, nil}}
		page := must[svc.QryfldexeResult](t)(client.Qryfldexe(ctx, statement))
		equal(t, page.Items[0], []any{"text", each.returned, true})
		equal(t, *page.FieldsMetadata[1].FieldTypeName, each.column)
	}
}

func TestDatesAreThoseOfISO8601WhereTheClientAsksForThem(t *testing.T) {
	client, ctx := svc.New(svc.Options{URL: openURL, Dates: "iso"}), context.Background()
	cache := newCache(t, client)
	put := svc.PutParameters{CacheName: cache, Key: "a", Val: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	equal(t, must[bool](t)(client.Put(ctx, put)), true)
	equal(t, must[any](t)(client.Get(ctx, svc.GetParameters{CacheName: cache, Key: "a"})), any("2026-01-02T03:04:05"))
}
