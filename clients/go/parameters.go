package svc

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Ptr returns a pointer to a value, for parameters that are optional.
func Ptr[T any](value T) *T {
	return &value
}

// Values converts a slice of any type to keys, values or arguments.
func Values[T any](list []T) []any {
	values := make([]any, len(list))
	for at, value := range list {
		values[at] = value
	}
	return values
}

// members returns the parameters that the caller has set in a struct, by their names in the service.
func members(parameters any) map[string]any {
	if given, isMap := parameters.(map[string]any); isMap {
		return given
	}
	sent := map[string]any{}
	value := reflect.ValueOf(parameters)
	for at := range value.NumField() {
		field := value.Field(at)
		name, kind, _ := strings.Cut(value.Type().Field(at).Tag.Get("svc"), ",")
		switch {
		case name == "-":
		case kind == "others":
			for other, member := range field.Interface().(map[string]any) {
				sent[other] = member
			}
		case kind == "required" || !field.IsZero():
			if field.Kind() == reflect.Pointer {
				field = field.Elem()
			}
			sent[name] = field.Interface()
		}
	}
	return sent
}

var typedBy = map[string]string{
	"key": "keyType", "keys": "keyType", "val": "valueType", "val2": "valueType", "values": "valueType",
}

// withTypes adds the types of keys and values that the caller has left out, derived from the Go values.
func withTypes(parameters map[string]any) (map[string]any, error) {
	types := map[string]string{}
	for name, value := range parameters {
		by, isTyped := typedBy[name]
		if !isTyped || parameters[by] != nil {
			continue
		}
		list, isList := value.([]any)
		if !isList || (name != "keys" && name != "values") {
			list = []any{value}
		}
		for _, each := range list {
			own := typeName(each)
			if own == "" && by == "valueType" {
				own = objectType(each)
			}
			if former, found := types[by]; own != "" && found && former != own {
				return nil, fmt.Errorf("%s has values of several types", name)
			}
			if own != "" {
				types[by] = own
			}
		}
	}
	sent := map[string]any{}
	for name, value := range parameters {
		sent[name] = value
	}
	if arguments, isList := parameters["args"].([]any); isList {
		for at, each := range arguments {
			// JSON represents them as strings.
			switch own := fmt.Sprintf("arg%dType", at+1); each.(type) {
			case time.Time, []byte:
				if sent[own] == nil {
					sent[own] = typeName(each)
				}
			}
		}
	}
	for by, name := range types {
		sent[by] = name
	}
	for _, by := range []string{"keyType", "valueType"} {
		if sent[by] == "string" {
			delete(sent, by)
		}
	}
	return sent, nil
}

func typeName(value any) string {
	switch value.(type) {
	case Decimal:
		return decimalType
	case time.Time:
		return "timestamp"
	case []byte:
		return "[B"
	}
	switch reflect.ValueOf(value).Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "double"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "long"
	}
	return ""
}

// objectType returns the type of a value that becomes a JSON object or array, or "" for any other.
func objectType(value any) string {
	switch value.(type) {
	case json.Marshaler, encoding.TextMarshaler, []byte:
		return ""
	}
	object := reflect.ValueOf(value)
	for object.Kind() == reflect.Pointer {
		object = object.Elem()
	}
	switch object.Kind() {
	case reflect.Map, reflect.Struct:
		return "map"
	case reflect.Slice, reflect.Array:
		return "list"
	}
	return ""
}

// split divides a request with more keys than one request may have.
func split(parameters map[string]any, bulkKeys int) ([]map[string]any, error) {
	keys, _ := parameters["keys"].([]any)
	if len(keys) <= bulkKeys {
		return []map[string]any{parameters}, nil
	}
	values, hasValues := parameters["values"].([]any)
	// The service would reject it, but it sees only one part at a time.
	if hasValues && len(values) != len(keys) {
		return nil, fmt.Errorf("Keys and Values differ in number: %d and %d", len(keys), len(values))
	}
	var parts []map[string]any
	for start := 0; start < len(keys); start += bulkKeys {
		end := min(start+bulkKeys, len(keys))
		part := map[string]any{}
		for name, value := range parameters {
			part[name] = value
		}
		part["keys"] = keys[start:end]
		if hasValues {
			part["values"] = values[start:end]
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// merged joins the responses of the parts: maps are merged, and of true and false, false wins.
func merged[T any](responses []T) T {
	first := responses[0]
	switch joined := any(first).(type) {
	case map[string]any:
		for _, response := range responses[1:] {
			for name, value := range any(response).(map[string]any) {
				joined[name] = value
			}
		}
	case bool:
		for _, response := range responses[1:] {
			if any(response) == false {
				return response
			}
		}
	}
	return first
}
