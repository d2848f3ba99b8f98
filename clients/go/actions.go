// One id for the several questions of one click.
package main

import (
	"fmt"
	"math/rand"
	"time"
)

// How long navigations of one viewer to one URL are one click, and a popup's first one that of its opener.
const (
	together = time.Second
	popup    = 10 * time.Second
)

type navigation struct{ viewer, url string }

type action struct {
	id    string
	began time.Time
}

// Actions is empty at first.
type Actions struct {
	prefix          string
	count           int
	recent, windows map[navigation]action
	openers         map[string]string // of popups that have not navigated yet
}

func (a *Actions) begin() {
	if a.recent == nil {
		a.prefix = fmt.Sprintf("%08x", rand.New(rand.NewSource(time.Now().UnixNano())).Uint32())
		a.recent, a.windows, a.openers = map[navigation]action{}, map[navigation]action{}, map[string]string{}
	}
}

// heard keeps whose popup a viewer is.
func (a *Actions) heard(method string, said object) {
	a.begin()
	viewer, _ := said["viewer"].(string)
	if opener, isPopup := said["opener"].(string); method == "RegisterViewer" && isPopup {
		a.openers[viewer] = opener
	} else if method == "ForgetViewer" {
		delete(a.openers, viewer)
	}
}

// mark gives a navigation its action, unless the app gave it one.
func (a *Actions) mark(event object, now time.Time) {
	a.begin()
	viewer, hasViewer := event["viewer"].(string)
	url, hasURL := event["url"].(string)
	if _, isMarked := event["action"]; isMarked || !hasViewer || !hasURL {
		return
	}
	drop(a.recent, now.Add(-together))
	drop(a.windows, now.Add(-popup))
	key := navigation{viewer, url}
	known, isRepeat := a.recent[key]
	if !isRepeat {
		known = action{a.ofOpener(viewer, url), now}
		if known.id == "" {
			a.count++
			known.id = fmt.Sprintf("%s-%d", a.prefix, a.count)
		}
		a.recent[key] = known
	}
	if event["newWindow"] == true {
		a.windows[key] = action{known.id, now}
	}
	event["action"] = known.id
}

// ofOpener is the id of the question that made this popup; only its first navigation has it.
func (a *Actions) ofOpener(viewer, url string) string {
	key := navigation{a.openers[viewer], url}
	_, isPopup := a.openers[viewer]
	delete(a.openers, viewer)
	made, isMade := a.windows[key]
	if !isPopup || !isMade {
		return ""
	}
	delete(a.windows, key)
	return made.id
}

func drop(actions map[navigation]action, latest time.Time) {
	for key, one := range actions {
		if !one.began.After(latest) {
			delete(actions, key)
		}
	}
}
