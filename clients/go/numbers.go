package svc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// Decimal is a decimal number with its scale: 2410611.00. A float64 would lose the zeros at its end, or digits.
type Decimal string

// decimalType is the type name of decimals, for values and columns alike.
const decimalType = "java.math.BigDecimal"

var (
	number = regexp.MustCompile(`^-?\d+(\.\d+)?([eE][+-]?\d+)?$`)
	whole  = regexp.MustCompile(`^-?\d+$`)
	// scale matches numbers that the service never writes for a double: 1.50, 1E-7, 1.5E+9, but not 1.0.
	scale = regexp.MustCompile(`\.\d+0($|[^\d])|^-?\d+E|E\+`)
)

// MarshalJSON returns the digits.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if !number.MatchString(string(d)) {
		return nil, fmt.Errorf("%q is not a decimal number", string(d))
	}
	return []byte(d), nil
}

// decode parses JSON. Numbers without a declared type are converted by exactNumber, or stay as they were sent.
func decode[T any](text []byte, exact bool) (T, error) {
	var value T
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return value, err
	}
	if exact {
		replaceNumbers(reflect.ValueOf(&value).Elem(), exactNumber)
	}
	return value, nil
}

// replaceNumbers replaces each json.Number within a value of any type.
func replaceNumbers(value reflect.Value, convert func(string) any) {
	switch value.Kind() {
	case reflect.Interface:
		if !value.IsNil() && value.CanSet() {
			value.Set(reflect.ValueOf(&[]any{replaced(value.Interface(), convert)}[0]).Elem())
		}
	case reflect.Pointer:
		if !value.IsNil() {
			replaceNumbers(value.Elem(), convert)
		}
	case reflect.Struct:
		for at := range value.NumField() {
			replaceNumbers(value.Field(at), convert)
		}
	case reflect.Slice:
		for at := range value.Len() {
			replaceNumbers(value.Index(at), convert)
		}
	case reflect.Map:
		if value.Type().Elem().Kind() != reflect.Interface {
			return
		}
		for _, key := range value.MapKeys() {
			member := replaced(value.MapIndex(key).Interface(), convert)
			value.SetMapIndex(key, reflect.ValueOf(&member).Elem())
		}
	}
}

// replaced returns a decoded value whose numbers are converted.
func replaced(value any, convert func(string) any) any {
	switch value := value.(type) {
	case json.Number:
		return convert(string(value))
	case []any:
		for at, each := range value {
			value[at] = replaced(each, convert)
		}
	case map[string]any:
		for name, each := range value {
			value[name] = replaced(each, convert)
		}
	}
	return value
}

// exactNumber returns an int64 or, beyond its range, a *big.Int for a whole number. For any other number it returns a
// float64, or a Decimal if a float64 would lose digits or the scale.
func exactNumber(text string) any {
	if whole.MatchString(text) {
		if value, err := strconv.ParseInt(text, 10, 64); err == nil {
			return value
		}
		value, _ := new(big.Int).SetString(text, 10)
		return value
	}
	value, err := strconv.ParseFloat(text, 64)
	isDouble := err == nil && !math.IsInf(value, 0) && !scale.MatchString(text)
	if isDouble && digits(strconv.FormatFloat(value, 'e', -1, 64)) == digits(text) {
		return value
	}
	return Decimal(text)
}

// digits returns the digits of a number without zeros at both ends.
func digits(text string) string {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(mantissa), "0")
}

// decimalNumber returns a number from a decimal column.
func decimalNumber(text string) any {
	return Decimal(text)
}

// OneOrMany is a list that the service sends as a single object if a command returns only one.
type OneOrMany[T any] []T

// UnmarshalJSON reads a list or a single object.
func (l *OneOrMany[T]) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		return json.Unmarshal(text, (*[]T)(l))
	}
	var one T
	if err := json.Unmarshal(text, &one); err != nil {
		return err
	}
	*l = OneOrMany[T]{one}
	return nil
}
