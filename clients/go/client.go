// Command client asks the webviewguard daemon over a plain socket: docs/write-a-client.md in three files, but for news and messages.
//
//	client SOCKET        reads lines such as `navigate {"viewer":"v1","url":"https://a.example/"}`, prints `block external`
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"time"
)

type object = map[string]any

// errRefused: somebody is there and wants no question of this app. That is no silence, and the contract does not speak of it.
var errRefused = errors.New("the app was refused")

// Which part of the contract answers a kind of event (clients/vectors/kinds.json); every other kind is `other`.
var families = map[string]string{"navigate": "navigation", "openURL": "navigation", "copy": "clipboard",
	"paste": "clipboard", "clipboardChanged": "clipboard", "dragEnd": "clipboard"}
var outcomes = map[string]bool{"allow": true, "warn": true, "redirect": true, "handOff": true, "block": true,
	"redact": true, "switchIdentity": true}

// Guard is one connection that comes back, and what to say again on each.
type Guard struct {
	socket, instance string
	contract         Contract
	said             []object // RegisterViewer, SetIdentity … in their order
	saidCount        int      // How often something was said.
	line             *Line
	isUnattached     bool   // No policy was loaded when it attached: questions are answered, statements are not.
	refusal          string // With what error the daemon refused the latest connection.
	isSilent         bool   // Somebody did not answer in time, and has answered nothing since.
	trying           chan attempt
	attempted, next  time.Time
	pause            time.Duration
	actions          Actions
}

// attempt is what came of a connection: it goes on beside the questions that have no time left for it.
type attempt struct {
	line              *Line
	instance, refusal string
	contract          Contract
	isUnattached      bool
	saidCount         int // What was said when it began.
	err               error
}

// brief is what a good daemon needs to connect: so long do questions wait for one that was silent.
const brief = 20 * time.Millisecond

// try makes a connection, and attaches it.
func try(socket, instance string, contract Contract, said []object) (made attempt) {
	until := time.Now().Add(contract.start)
	made = attempt{instance: instance, contract: contract}
	if made.line, made.err = dial(socket, until); made.err == nil {
		if made.err = made.attach(said, until); made.err != nil {
			made.line.connection.Close()
		}
	}
	return made
}

// attach goes on under the instance that it had, or begins anew. Every error but two is a refusal.
func (a *attempt) attach(said []object, until time.Time) error {
	hello := object{"features": []string{}} // no wrap, no warn …: answers that need one are `block`
	if a.instance != "" {
		hello["instance"] = a.instance
	}
	reply, err := a.line.call("Attach", hello, until)
	if err == nil && reply.word() == "UnknownInstance" && a.instance != "" {
		a.instance = ""
		return a.attach(said, until)
	}
	token, isText := reply.Parameters["instance"].(string)
	a.isUnattached = reply.word() == "NoPolicy"
	switch {
	case err != nil || a.isUnattached:
		return err
	case reply.Error != nil:
		a.refusal = reply.word()
		return errRefused
	case !isText:
		return errors.New("no instance")
	}
	contract, _ := json.Marshal(reply.Parameters["contract"])
	a.instance, a.contract = token, readContract(contract)
	return a.sayAgain(said, until)
}

// sayAgain comes before the first question: half of it might make looser answers than none. What is refused now is passed over.
func (a *attempt) sayAgain(all []object, until time.Time) error {
	for _, said := range all {
		if reply, err := a.line.call(said["method"].(string), said["parameters"].(object), until); err != nil {
			return err
		} else if reply.Error != nil {
			fmt.Fprintln(os.Stderr, said["method"], "is refused now:", *reply.Error)
		}
	}
	return nil
}

// connect makes a connection unless it is too early for that. After a failure it is, for 100 ms, then 200 ms, up to 5 s. One
// that had worked and ended while nobody waited is made again at once, but no two attempts are closer than 100 ms.
func (g *Guard) connect(until time.Time) error {
	if g.line != nil && g.line.hasEnded() {
		g.line.connection.Close()
		g.line, g.next = nil, g.attempted.Add(100*time.Millisecond)
	} else if g.line != nil {
		return nil
	}
	if g.trying == nil {
		if time.Now().Before(g.next) {
			return errors.New("too early")
		}
		g.refusal, g.attempted, g.trying = "", time.Now(), make(chan attempt, 1)
		go func(result chan<- attempt, instance string, contract Contract, said []object, count int) {
			made := try(g.socket, instance, contract, said)
			made.saidCount = count
			result <- made
		}(g.trying, g.instance, g.contract, append([]object{}, g.said...), g.saidCount)
	}
	patience := until
	if soon := g.attempted.Add(brief); g.isSilent && soon.Before(until) {
		patience = soon
	}
	select {
	case made := <-g.trying:
		g.trying = nil
		return g.finished(made, until)
	case <-time.After(time.Until(patience)):
		g.isSilent = true
		return os.ErrDeadlineExceeded
	}
}

// finished takes the connection, or begins the pause. Where nobody listened there is none: trying again costs nothing.
func (g *Guard) finished(made attempt, until time.Time) error {
	if made.line == nil {
		g.isSilent = false
		return made.err
	}
	g.instance, g.contract, g.isUnattached, g.refusal = made.instance, made.contract, made.isUnattached, made.refusal
	if made.err == nil && !made.isUnattached && made.saidCount != g.saidCount {
		made.err = made.sayAgain(g.said, until) // Something was said meanwhile.
	}
	if g.line = made.line; made.err != nil {
		g.hangUp(made.err)
		return made.err
	}
	g.isSilent, g.pause = false, 0
	return nil
}

// hangUp ends the connection, since a late answer would be taken for another question's.
func (g *Guard) hangUp(err error) {
	g.line.connection.Close()
	g.line, g.isSilent = nil, errors.Is(err, os.ErrDeadlineExceeded)
	if g.pause *= 2; g.pause < 100*time.Millisecond {
		g.pause = 100 * time.Millisecond
	} else if g.pause > 5*time.Second {
		g.pause = 5 * time.Second
	}
	// Up to a quarter longer by chance, so that many programs do not come back in one moment.
	g.next = time.Now().Add(g.pause + time.Duration(rand.Int63n(int64(g.pause)/4)))
}

// call is one call, and once more when a policy came meanwhile and wants the app attached. A question says how long it waits.
func (g *Guard) call(method string, parameters object) (reply Reply, err error) {
	until := time.Now().Add(g.contract.answer)
	if err = g.connect(until); err != nil {
		return reply, err
	}
	if event, isQuestion := parameters["event"].(object); isQuestion {
		if left := time.Until(until).Milliseconds(); left > 0 {
			event["deadline"] = left
		}
	}
	reply, err = g.line.call(method, parameters, until)
	if err == nil && reply.word() == "NotAttached" && g.isUnattached {
		now := attempt{line: g.line, instance: g.instance, contract: g.contract}
		err = now.attach(g.said, until)
		g.instance, g.contract, g.isUnattached, g.refusal = now.instance, now.contract, now.isUnattached, now.refusal
		if err == nil {
			reply, err = g.line.call(method, parameters, until)
		}
	}
	if err != nil {
		g.hangUp(err)
	}
	return reply, err
}

// Ask is the outcome for an event and its reason: the daemon's, or the contract's when no answer came in time.
func (g *Guard) Ask(kind string, event object) (outcome, reason string) {
	if kind == "navigate" {
		g.actions.mark(event, time.Now())
	}
	reply, err := g.call(strings.ToUpper(kind[:1])+kind[1:], object{"event": event})
	if err != nil && g.refusal != "" {
		return "block", g.refusal
	} else if err != nil {
		return g.contract.answers(kind), "noAnswer"
	} else if reply.Error != nil {
		return "block", reply.word()
	}
	decision, _ := reply.Parameters["decision"].(object)
	outcome, _ = decision["outcome"].(string)
	reason, _ = decision["reason"].(string)
	if !outcomes[outcome] {
		outcome = "block"
	}
	return outcome, reason
}

// Say states something, and keeps it for the next connection unless the daemon refused it. The latest of one kind about one
// viewer or window takes the place of what was said before.
func (g *Guard) Say(method string, parameters object) {
	g.actions.heard(method, parameters)
	if reply, err := g.call(method, parameters); err == nil && reply.Error != nil && !g.isUnattached {
		fmt.Fprintln(os.Stderr, method, "was refused:", *reply.Error)
		return
	}
	about := func(said object) [3]any {
		parameters := said["parameters"].(object)
		return [3]any{said["method"], parameters["viewer"], fmt.Sprint(parameters["level"], parameters["window"])}
	}
	now, kept := object{"method": method, "parameters": parameters}, []object{}
	for _, said := range g.said {
		if about(said) != about(now) {
			kept = append(kept, said)
		}
	}
	g.said, g.saidCount = append(kept, now), g.saidCount+1
}

func main() {
	g := &Guard{socket: os.Args[1], contract: contractFile(os.Args[1])}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		word, text, _ := strings.Cut(lines.Text(), " ")
		about := object{}
		if err := json.Unmarshal([]byte(text), &about); word == "" || err != nil {
			fmt.Fprintln(os.Stderr, "a line is KIND or say:METHOD, a space and an object:", err)
			os.Exit(1)
		}
		if method := strings.TrimPrefix(word, "say:"); method != word {
			g.Say(method, about)
			continue
		}
		outcome, reason := g.Ask(word, about)
		fmt.Println(outcome, reason)
	}
}
