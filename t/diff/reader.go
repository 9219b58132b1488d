// Copyright (C) Open Responses contributors

// Reads requests as encoding/json does, into structures as servers have them:
// see t/readers.t for lines and their form.

package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
)

type part struct {
	Detail   any `json:"detail"`
	FileID   any `json:"file_id"`
	ImageURL any `json:"image_url"`
	Text     any `json:"text"`
	Type     any `json:"type"`
}

type item struct {
	Arguments any             `json:"arguments"`
	CallID    any             `json:"call_id"`
	Content   json.RawMessage `json:"content"`
	ID        any             `json:"id"`
	Name      any             `json:"name"`
	Output    any             `json:"output"`
	Role      any             `json:"role"`
	Status    any             `json:"status"`
	Summary   any             `json:"summary"`
	Type      any             `json:"type"`
}

type tool struct {
	Description any `json:"description"`
	Name        any `json:"name"`
	Parameters  any `json:"parameters"`
	Strict      any `json:"strict"`
	Type        any `json:"type"`
}

type request struct {
	Include            any             `json:"include"`
	Input              json.RawMessage `json:"input"`
	Instructions       *string         `json:"instructions"`
	MaxOutputTokens    any             `json:"max_output_tokens"`
	Metadata           map[string]any  `json:"metadata"`
	Model              *string         `json:"model"`
	PreviousResponseID *string         `json:"previous_response_id"`
	Stream             *bool           `json:"stream"`
	Temperature        *float64        `json:"temperature"`
	ToolChoice         any             `json:"tool_choice"`
	Tools              []tool          `json:"tools"`
	TopP               *float64        `json:"top_p"`
	Truncation         any             `json:"truncation"`
}

type bad struct{}

type members struct {
	out strings.Builder
}

func (m *members) add(name string, value any) {
	if text := form(value); text != "n" {
		m.out.WriteString(name + "=" + text + ";")
	}
}

func (m *members) text() string { return "{" + m.out.String() + "}" }

func form(value any) string {
	switch v := value.(type) {
	case nil:
		return "n"
	case *string:
		if v == nil {
			return "n"
		}
		return form(*v)
	case *bool:
		if v == nil {
			return "n"
		}
		return form(*v)
	case *float64:
		if v == nil {
			return "n"
		}
		return form(*v)
	case bool:
		if v {
			return "t"
		}
		return "f"
	case float64:
		if v == 0 {
			v = 0
		}
		return fmt.Sprintf("d%016x", math.Float64bits(v+0))
	case string:
		return "s" + hex.EncodeToString([]byte(v))
	case []any:
		text := "["
		for _, element := range v {
			text += form(element)
		}
		return text + "]"
	case map[string]any:
		if v == nil {
			return "n"
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		text := "{"
		for _, key := range keys {
			text += form(key) + "=" + form(v[key]) + ";"
		}
		return text + "}"
	}
	panic(bad{})
}

// a list of structures, or any other value

func list[T any](raw json.RawMessage, one func(*T) string) string {
	if len(raw) == 0 {
		return "n"
	}
	if raw[0] != '[' {
		var value any
		check(json.Unmarshal(raw, &value))
		return form(value)
	}
	var values []T
	check(json.Unmarshal(raw, &values))
	text := "["
	for i := range values {
		text += one(&values[i])
	}
	return text + "]"
}

func check(err error) {
	if err != nil {
		panic(bad{})
	}
}

func partText(p *part) string {
	var m members
	m.add("detail", p.Detail)
	m.add("file_id", p.FileID)
	m.add("image_url", p.ImageURL)
	m.add("text", p.Text)
	m.add("type", p.Type)
	return m.text()
}

func itemText(i *item) string {
	var m members
	m.add("arguments", i.Arguments)
	m.add("call_id", i.CallID)
	m.raw("content", list(i.Content, partText))
	m.add("id", i.ID)
	m.add("name", i.Name)
	m.add("output", i.Output)
	m.add("role", i.Role)
	m.add("status", i.Status)
	m.add("summary", i.Summary)
	m.add("type", i.Type)
	return m.text()
}

func (m *members) raw(name, text string) {
	if text != "n" {
		m.out.WriteString(name + "=" + text + ";")
	}
}

func toolText(t *tool) string {
	var m members
	m.add("description", t.Description)
	m.add("name", t.Name)
	m.add("parameters", t.Parameters)
	m.add("strict", t.Strict)
	m.add("type", t.Type)
	return m.text()
}

func read(body []byte) (text string) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bad); !ok {
				panic(r)
			}
			text = "-"
		}
	}()

	var r request
	check(json.Unmarshal(body, &r))

	var m members
	m.add("include", r.Include)
	m.raw("input", list(r.Input, itemText))
	m.add("instructions", r.Instructions)
	m.add("max_output_tokens", r.MaxOutputTokens)
	m.add("metadata", r.Metadata)
	m.add("model", r.Model)
	m.add("previous_response_id", r.PreviousResponseID)
	m.add("stream", r.Stream)
	m.add("temperature", r.Temperature)
	m.add("tool_choice", r.ToolChoice)
	if r.Tools != nil {
		tools := "["
		for i := range r.Tools {
			tools += toolText(&r.Tools[i])
		}
		m.raw("tools", tools+"]")
	}
	m.add("top_p", r.TopP)
	m.add("truncation", r.Truncation)
	return m.text()
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()

	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		body, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, read(body))
	}
}
