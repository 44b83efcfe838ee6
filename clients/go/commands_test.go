package svc_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/svc-grid/svc-go"
)

// document is the part of a service's OpenAPI document that says which parameters a command has.
type document struct {
	Paths map[string]struct {
		Get *struct {
			Parameters []struct {
				Ref      string `json:"$ref"`
				Name     string
				Required bool
			}
		}
	}
	Components struct {
		Parameters map[string]struct {
			Name     string
			Required bool
		}
		Schemas map[string]struct {
			Properties map[string]any
			Required   []string
		}
	}
}

// notOfMethods are parameters of every request, and parameters that decide what a method returns.
var notOfMethods = map[string]bool{
	"cmd": true, "httpStatus": true, "errors": true, "numbers": true, "dates": true, "asArray": true, "stream": true,
}

// samples are parameter values whose kind is unambiguous.
var samples = map[string]any{
	"State": "ACTIVE", "Action": "start", "Of": "version", "Commands": []map[string]any{{"cmd": "version"}},
	"Keys": []any{"a"}, "Values": []any{"b"}, "Delta": int64(1), "QryID": int64(1), "Qry": "SELECT 1", "Rights": "{}",
}

// needed are optional parameters of which the command needs one.
var needed = map[string]map[string]any{
	"rmvval": {"Val": "b"}, "sessionrmv": {"User": "nobody"}, "updatettl": {"TTLMs": svc.Ptr(int64(1000))},
}

func readDocument(t *testing.T) document {
	t.Helper()
	address, err := url.Parse(openURL)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(address.ResolveReference(&url.URL{Path: "/openapi.json"}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var read document
	if err := json.NewDecoder(response.Body).Decode(&read); err != nil {
		t.Fatal(err)
	}
	return read
}

// declared returns the parameters of a command, and whether each is required.
func (d document) declared(command string) map[string]bool {
	found := map[string]bool{}
	if get := d.Paths["/svc/"+command].Get; get != nil {
		for _, each := range get.Parameters {
			if each.Ref == "" {
				found[each.Name] = each.Required
			} else {
				shared := d.Components.Parameters[path.Base(each.Ref)]
				found[shared.Name] = shared.Required
			}
		}
	} else {
		schema := d.Components.Schemas[title(command)+"Request"]
		for name := range schema.Properties {
			found[name] = false
		}
		for _, name := range schema.Required {
			found[name] = true
		}
	}
	for name := range notOfMethods {
		delete(found, name)
	}
	return found
}

func title(command string) string {
	return strings.ToUpper(command[:1]) + command[1:]
}

// methods returns the methods of the commands with an envelope.
func (d document) methods(t *testing.T) map[string]reflect.Method {
	t.Helper()
	found := map[string]reflect.Method{}
	isCommand := regexp.MustCompile(`^/svc/([a-z]+)$`)
	for address := range d.Paths {
		match := isCommand.FindStringSubmatch(address)
		if match == nil || match[1] == "import" || match[1] == "export" || match[1] == "watch" {
			continue
		}
		method, exists := reflect.TypeFor[*svc.Client]().MethodByName(title(match[1]))
		if !exists {
			t.Fatalf("no method for %s", match[1])
		}
		found[match[1]] = method
	}
	return found
}

// filled returns a value of a type that no command omits.
func filled(kind reflect.Type) reflect.Value {
	value := reflect.New(kind).Elem()
	switch kind.Kind() {
	case reflect.Pointer:
		value.Set(reflect.New(kind.Elem()))
	case reflect.Slice:
		value.Set(reflect.MakeSlice(kind, 1, 1))
	case reflect.String:
		value.SetString("text")
	case reflect.Interface:
		value.Set(reflect.ValueOf("text"))
	case reflect.Int64, reflect.Int:
		value.SetInt(1)
	}
	return value
}

func TestAMethodSendsTheDeclaredParameters(t *testing.T) {
	document := readDocument(t)
	var sent map[string]any
	var address, key string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = nil
		address, key = r.URL.Path, r.Header.Get("Idempotency-Key")
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"successStatus":0,"error":null,"response":null}`)
	}))
	defer server.Close()
	client := svc.New(svc.Options{URL: server.URL + "/svc"})
	for command, method := range document.methods(t) {
		t.Run(command, func(t *testing.T) {
			declared := document.declared(command)
			parameters := reflect.New(method.Type.In(2)).Elem()
			for at := range parameters.NumField() {
				field := parameters.Type().Field(at)
				if field.Name == "Others" || strings.HasSuffix(field.Name, "Type") {
					continue
				}
				parameters.Field(at).Set(filled(field.Type))
				name, kind, _ := strings.Cut(field.Tag.Get("svc"), ",")
				if name != "-" && name != "pageSize" && declared[name] != (kind == "required") {
					t.Errorf("%s is required: %v", name, declared[name])
				}
			}
			// Texts need no type, so it would not be sent.
			for _, name := range []string{"KeyType", "ValueType"} {
				if field := parameters.FieldByName(name); field.IsValid() {
					field.SetString("int")
				}
			}
			// `type` of qryexe is not one of them.
			if field := parameters.FieldByName("Type"); field.IsValid() {
				field.SetString("text")
			}
			method.Func.Call([]reflect.Value{
				reflect.ValueOf(client), reflect.ValueOf(t.Context()), parameters,
			})
			equal(t, address, "/svc/"+command)
			names := map[string]bool{}
			for name := range sent {
				names[name] = true
			}
			for name := range declared {
				if !names[name] {
					t.Errorf("%s is not sent", name)
				}
				delete(names, name)
			}
			if len(names) > 0 {
				t.Errorf("%v are not declared", names)
			}
			if field := parameters.FieldByName("IdempotencyKey"); field.IsValid() {
				equal(t, key, "text")
			} else {
				equal(t, key, "")
			}
		})
	}
}

func TestTheServiceUnderstandsEachMethod(t *testing.T) {
	client := svc.New(svc.Options{URL: os.Getenv("SVC_SCRATCH_URL"), Retries: -1})
	notUnderstood := map[svc.ErrorCode]bool{
		"": true, svc.CodeCommandUnknown: true, svc.CodeParameterUnknown: true, svc.CodeParameterMissing: true,
		svc.CodeConversion: true, svc.CodeInternal: true,
	}
	for command, method := range readDocument(t).methods(t) {
		t.Run(command, func(t *testing.T) {
			must[string](t)(client.Activate(t.Context(), svc.ActivateParameters{}))
			parameters := reflect.New(method.Type.In(2)).Elem()
			for at := range parameters.NumField() {
				field := parameters.Type().Field(at)
				value, isGiven := needed[command][field.Name]
				if !isGiven && !strings.HasSuffix(field.Tag.Get("svc"), ",required") {
					continue
				}
				if !isGiven {
					value = samples[field.Name]
					if value == nil || !reflect.TypeOf(value).AssignableTo(field.Type) {
						value = "a"
					}
				}
				parameters.Field(at).Set(reflect.ValueOf(value))
			}
			results := method.Func.Call([]reflect.Value{
				reflect.ValueOf(client), reflect.ValueOf(t.Context()), parameters,
			})
			if err, failed := results[len(results)-1].Interface().(error); failed && notUnderstood[svc.CodeOf(err)] {
				t.Error(err)
			}
			must[string](t)(client.Activate(t.Context(), svc.ActivateParameters{}))
			must[svc.DrainResult](t)(client.Drain(t.Context(), svc.DrainParameters{Action: "stop"}))
		})
	}
}
