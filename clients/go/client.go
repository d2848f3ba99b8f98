// Command client asks the webviewguard daemon over a plain socket: the whole of docs/write-a-client.md in one file.
//
//	client SOCKET        reads lines such as `navigate {"viewer":"v1","url":"https://a.example/"}`, prints `block external`
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type object = map[string]any

// Which part of the contract answers a kind of event (clients/vectors/kinds.json); every other kind is `other`.
var families = map[string]string{"navigate": "navigation", "openURL": "navigation", "copy": "clipboard",
	"paste": "clipboard", "clipboardChanged": "clipboard", "dragEnd": "clipboard"}
var outcomes = "allow warn redirect handOff block redact switchIdentity"

// Guard is one connection that comes back, and what to say again on each.
type Guard struct {
	socket, instance string
	contract         object
	said             []object // RegisterViewer, SetIdentity … in their order
	line             net.Conn
	reader           *bufio.Reader
}

// readContract takes what the text of contract.json states; every part that is missing or wrong is the default's.
func readContract(text []byte) object {
	said, read := object{}, object{"startMs": 2000.0, "answerMs": 500.0}
	if json.Unmarshal(text, &said) != nil {
		said = object{}
	}
	for name, most := range map[string]float64{"startMs": 60000, "answerMs": 60000} {
		if n, ok := said[name].(float64); ok && n >= 1 && n <= most && n == float64(int(n)) {
			read[name] = n
		}
	}
	for _, name := range []string{"navigation", "clipboard", "other"} {
		read[name] = said[name] == "open"
	}
	return read
}

// trusted: root, the user webviewguard, or ourselves where the machine has no daemon of its own.
func trusted(uid uint32) bool {
	_, err := os.Stat("/run/webviewguard")
	return uid == 0 || (err != nil && int(uid) == os.Geteuid()) || uid == serviceUser()
}

func serviceUser() uint32 {
	known, err := user.Lookup("webviewguard")
	if err != nil {
		return 0 // There is none; root is trusted anyway.
	}
	uid, _ := strconv.ParseUint(known.Uid, 10, 32)
	return uint32(uid)
}

// listener is the user at the other end, by the kernel's word.
func listener(line *net.UnixConn) (uid uint32, err error) {
	raw, err := line.SyscallConn()
	if err != nil {
		return 0, err
	}
	if wrong := raw.Control(func(descriptor uintptr) {
		var peer *syscall.Ucred
		if peer, err = syscall.GetsockoptUcred(int(descriptor), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			uid = peer.Uid
		}
	}); wrong != nil {
		return 0, wrong
	}
	return uid, err
}

// contractFile is that beside the socket, if a trusted user owns it and nobody else may write it.
func contractFile(socket string) object {
	path := filepath.Join(filepath.Dir(socket), "contract.json")
	about, err := os.Stat(path)
	if err != nil || about.Mode().Perm()&0o022 != 0 || !trusted(about.Sys().(*syscall.Stat_t).Uid) {
		return readContract(nil)
	}
	text, _ := os.ReadFile(path)
	return readContract(text)
}

// call sends one call, and reads its reply before the deadline. After any error the connection is closed: a late answer would
// be taken for another question's.
func (g *Guard) call(method string, parameters object, ms float64) (reply object, err error) {
	frame, _ := json.Marshal(object{"method": "org.webviewguard.Guard." + method, "parameters": parameters})
	g.line.SetDeadline(time.Now().Add(time.Duration(ms) * time.Millisecond))
	if _, err = g.line.Write(append(frame, 0)); err == nil {
		if frame, err = g.reader.ReadBytes(0); err == nil {
			err = json.Unmarshal(frame[:len(frame)-1], &reply)
		}
	}
	if err != nil {
		g.line.Close()
		g.line = nil
	}
	return reply, err
}

// connect attaches under the instance that it had, or begins anew, and says everything again before the first question.
func (g *Guard) connect() error {
	line, err := net.DialTimeout("unix", g.socket, time.Duration(g.contract["startMs"].(float64))*time.Millisecond)
	if err != nil {
		return err
	}
	if uid, err := listener(line.(*net.UnixConn)); err != nil || !trusted(uid) {
		line.Close()
		return errors.New("a stranger listens")
	}
	g.line, g.reader = line, bufio.NewReader(line)
	hello := object{"features": []string{}} // no wrap, no warn …: answers that need one are `block`
	if g.instance != "" {
		hello["instance"] = g.instance
	}
	reply, err := g.call("Attach", hello, g.contract["startMs"].(float64))
	if err == nil && reply["error"] == "org.webviewguard.Guard.UnknownInstance" {
		delete(hello, "instance")
		reply, err = g.call("Attach", hello, g.contract["startMs"].(float64))
	}
	attached, _ := reply["parameters"].(object)
	if token, ok := attached["instance"].(string); err == nil && reply["error"] == nil && ok {
		contract, _ := json.Marshal(attached["contract"])
		g.instance, g.contract = token, readContract(contract)
		for _, said := range g.said {
			if _, err = g.call(said["method"].(string), said["parameters"].(object), g.contract["startMs"].(float64)); err != nil {
				return err
			}
		}
	} else if err == nil && reply["error"] != "org.webviewguard.Guard.NoPolicy" {
		// Somebody is there and refuses the app: each question is blocked, whatever the contract says of nobody.
		return nil
	}
	return err
}

// Ask is the outcome for an event and its reason: the daemon's, or the contract's when no answer came in time.
func (g *Guard) Ask(kind string, event object) (outcome, reason string) {
	failed := func() (string, string) {
		family, isKnown := families[kind]
		if !isKnown {
			family = "other"
		}
		if g.contract[family] == true {
			return "allow", "noAnswer"
		}
		return "block", "noAnswer"
	}
	if g.line == nil && g.connect() != nil || g.line == nil {
		return failed()
	}
	method := strings.ToUpper(kind[:1]) + kind[1:]
	reply, err := g.call(method, object{"event": event}, g.contract["answerMs"].(float64))
	if err != nil {
		return failed()
	}
	if word, _ := reply["error"].(string); word != "" {
		return "block", word[strings.LastIndex(word, ".")+1:]
	}
	parameters, _ := reply["parameters"].(object)
	decision, _ := parameters["decision"].(object)
	outcome, _ = decision["outcome"].(string)
	reason, _ = decision["reason"].(string)
	if outcome == "" || !strings.Contains(" "+outcomes+" ", " "+outcome+" ") {
		outcome = "block"
	}
	return outcome, reason
}

func main() {
	g := &Guard{socket: os.Args[1], contract: contractFile(os.Args[1])}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		word, text, _ := strings.Cut(lines.Text(), " ")
		about := object{}
		if err := json.Unmarshal([]byte(text), &about); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if method := strings.TrimPrefix(word, "say:"); method != word {
			g.said = append(g.said, object{"method": method, "parameters": about})
			if g.line != nil {
				g.call(method, about, g.contract["answerMs"].(float64))
			}
			continue
		}
		outcome, reason := g.Ask(word, about)
		fmt.Println(outcome, reason)
	}
}
