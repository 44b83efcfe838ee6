package svc_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"testing"

	"github.com/svc-grid/svc-go"
)

func trusting(t *testing.T) *tls.Config {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(must[[]byte](t)(os.ReadFile(os.Getenv("SVC_TLS_AUTHORITY")))) {
		t.Fatal("SVC_TLS_AUTHORITY names no certificate")
	}
	return &tls.Config{RootCAs: pool}
}

func TestAnAuthorityOfOnesOwnIsTrustedOverTLS(t *testing.T) {
	client := svc.New(svc.Options{URL: os.Getenv("SVC_TLS_URL"), TLS: trusting(t)})
	must[any](t)(client.Call(t.Context(), "put", map[string]any{"key": "tls", "val": "a"}))
	equal(t, must[any](t)(client.Call(t.Context(), "get", map[string]any{"key": "tls"})), "a")
}

func TestACertificateThatCannotBeVerifiedIsRejected(t *testing.T) {
	var otherHost x509.HostnameError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	cases := []struct {
		name, url string
		tls       *tls.Config
		target    any
	}{
		{"of another host", os.Getenv("SVC_TLS_WRONG_NAME_URL"), trusting(t), &otherHost},
		{"expired", os.Getenv("SVC_TLS_EXPIRED_URL"), trusting(t), &invalid},
		{"of an unknown authority", os.Getenv("SVC_TLS_URL"), nil, &unknown},
	}
	for _, each := range cases {
		t.Run(each.name, func(t *testing.T) {
			client := svc.New(svc.Options{URL: each.url, TLS: each.tls, Retries: -1})
			_, err := client.Call(t.Context(), "put", map[string]any{"key": "tls", "val": "b"})
			if !errors.As(err, each.target) {
				t.Fatalf("%v", err)
			}
		})
	}
}
