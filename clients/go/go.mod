module github.com/svc-grid/svc-go

go 1.24
