package svc

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrorCode names a kind of failure.
type ErrorCode string

// Error is a failure reported by the service. Network failures are errors of net/http, and a call that its context ends
// returns the context's error.
type Error struct {
	// Code is empty if something other than the service answered, such as a proxy.
	Code ErrorCode
	// Message says what went wrong.
	Message string
	// Parameter is the parameter that the error is about.
	Parameter string
	// Position is the position in the statement, counted from 1.
	Position int
	// Remedy says what to do instead.
	Remedy string
	// Documentation is the path of the service's page that explains the error.
	Documentation string
	// Status is the HTTP status.
	Status int
	// SuccessStatus is 1 after a failure, 2 after an authorization failure, and 3 after a security check failure.
	SuccessStatus int
	// Command is the command that failed.
	Command string
	// Response is what had been done before the failure, if the command reports it, as an import does.
	Response any
}

// Error returns the message.
func (e *Error) Error() string {
	return e.Message
}

// CodeOf returns the error code of err, or an empty code if the service did not report it.
func CodeOf(err error) ErrorCode {
	var failure *Error
	if errors.As(err, &failure) {
		return failure.Code
	}
	return ""
}

// errorObject is an error as the service sends it with errors=object.
type errorObject struct {
	Code          ErrorCode `json:"code"`
	Message       string    `json:"message"`
	Parameter     string    `json:"parameter"`
	Position      int       `json:"position"`
	Remedy        string    `json:"remedy"`
	Documentation string    `json:"documentation"`
}

func (o errorObject) failure(command string, status, success int) *Error {
	return &Error{
		Code:          o.Code,
		Message:       o.Message,
		Parameter:     o.Parameter,
		Position:      o.Position,
		Remedy:        o.Remedy,
		Documentation: o.Documentation,
		Status:        status,
		SuccessStatus: success,
		Command:       command,
	}
}

// answer is a response that has been read.
type answer struct {
	status     int
	errorCode  string
	retryAfter string
	body       []byte
}

type envelope struct {
	SuccessStatus *int            `json:"successStatus"`
	SessionToken  *string         `json:"sessionToken"`
	Error         json.RawMessage `json:"error"`
	Response      json.RawMessage `json:"response"`
}

// read returns the envelope of a success.
func (a answer) read(command string) (envelope, error) {
	var read envelope
	if err := json.Unmarshal(a.body, &read); err != nil || read.SuccessStatus == nil {
		// A proxy answered, for example.
		text := a.body[:min(len(a.body), 200)]
		return read, &Error{
			Message:       fmt.Sprintf("No envelope, but %s", text),
			Status:        a.status,
			SuccessStatus: 1,
			Command:       command,
		}
	}
	if isOK(a.status) && *read.SuccessStatus == 0 {
		return read, nil
	}
	var object errorObject
	if err := json.Unmarshal(read.Error, &object); err != nil {
		object = errorObject{Code: ErrorCode(a.errorCode)}
		// Null leaves the message empty.
		_ = json.Unmarshal(read.Error, &object.Message)
	} else if object.Message == "" {
		object.Code = ErrorCode(a.errorCode)
	}
	failure := object.failure(command, a.status, *read.SuccessStatus)
	if len(read.Response) > 0 {
		failure.Response, _ = decode[any](read.Response, true)
	}
	return read, failure
}

func isOK(status int) bool {
	return status >= 200 && status < 300
}
