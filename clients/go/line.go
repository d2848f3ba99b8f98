// Where the daemon is, whom to believe there, and frames.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	longestReply    = 4 << 20
	longestContract = 64 << 10
)

// Contract is what holds when nobody answers.
type Contract struct {
	start, answer time.Duration
	isOpen        map[string]bool
}

func (c Contract) answers(kind string) string {
	family, isKnown := families[kind]
	if !isKnown {
		family = "other"
	}
	if c.isOpen[family] {
		return "allow"
	}
	return "block"
}

// readContract takes what the text of contract.json states; every part that is missing or wrong is the default's.
func readContract(text []byte) Contract {
	said, read := object{}, Contract{2000 * time.Millisecond, 500 * time.Millisecond, map[string]bool{}}
	if json.Unmarshal(text, &said) != nil {
		said = object{}
	}
	for name, limit := range map[string]*time.Duration{"startMs": &read.start, "answerMs": &read.answer} {
		if n, ok := said[name].(float64); ok && n >= 1 && n <= 60000 && n == float64(int(n)) {
			*limit = time.Duration(n) * time.Millisecond
		}
	}
	for _, name := range []string{"navigation", "clipboard", "other"} {
		read.isOpen[name] = said[name] == "open"
	}
	return read
}

// contractFile is that beside the socket, if it is a file that a trusted user owns and nobody else may write. It is opened before
// it is looked at, so that nobody can put another in its place meanwhile, and without waiting, as for a pipe.
func contractFile(socket string) Contract {
	flags := os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	file, err := os.OpenFile(filepath.Join(filepath.Dir(socket), "contract.json"), flags, 0)
	if err != nil {
		return readContract(nil)
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil || !about.Mode().IsRegular() || about.Mode().Perm()&0o022 != 0 ||
		!trusted(about.Sys().(*syscall.Stat_t).Uid) {
		return readContract(nil)
	}
	text, err := io.ReadAll(io.LimitReader(file, longestContract+1))
	if err != nil || len(text) > longestContract {
		return readContract(nil)
	}
	return readContract(text)
}

// trusted: root, the user webviewguard, or ourselves where the machine has no daemon of its own.
func trusted(uid uint32) bool {
	return uid == 0 || uid == serviceUser() || (int(uid) == os.Geteuid() && !hasSystemDaemon())
}

// hasSystemDaemon: only root makes that directory and those units. The first place that has a unit counts, and one that is
// masked is a link to /dev/null.
func hasSystemDaemon() bool {
	if _, err := os.Stat("/run/webviewguard"); err == nil {
		return true
	}
	for _, kind := range []string{"service", "socket"} {
		for _, place := range []string{"/etc", "/usr/local/lib", "/usr/lib", "/lib"} {
			if about, err := os.Stat(place + "/systemd/system/webviewguard." + kind); err == nil {
				if about.Mode().IsRegular() {
					return true
				}
				break
			}
		}
	}
	return false
}

func serviceUser() uint32 {
	known, err := user.Lookup("webviewguard")
	if err != nil {
		return 0 // There is none; root is trusted anyway.
	}
	uid, err := strconv.ParseUint(known.Uid, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(uid)
}

// listener is the user at the other end, by the kernel's word.
func listener(connection *net.UnixConn) (uid uint32, err error) {
	raw, err := connection.SyscallConn()
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

// Reply is parameters, and the error's name if it is one.
type Reply struct {
	Error      *string
	Parameters object
	Continues  bool
}

// word is the last word of the error's name; empty when it is none.
func (r Reply) word() string {
	if r.Error == nil {
		return ""
	}
	return (*r.Error)[strings.LastIndex(*r.Error, ".")+1:]
}

// Line is one connection.
type Line struct {
	connection *net.UnixConn
	reader     *bufio.Reader
}

// dial connects, and looks who listens.
func dial(socket string, until time.Time) (*Line, error) {
	dialed, err := (&net.Dialer{Deadline: until}).Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	connection := dialed.(*net.UnixConn)
	if uid, err := listener(connection); err != nil || !trusted(uid) {
		connection.Close()
		return nil, errors.New("a stranger listens")
	}
	return &Line{connection, bufio.NewReader(connection)}, nil
}

// call sends one call, and reads its reply before the deadline. After an error the connection is to be closed.
func (l *Line) call(method string, parameters object, until time.Time) (reply Reply, err error) {
	frame, err := json.Marshal(object{"method": "org.webviewguard.Guard." + method, "parameters": parameters})
	if err != nil {
		return reply, err
	} else if l.isUntidy() {
		return reply, errors.New("a reply to no call")
	}
	l.connection.SetDeadline(until)
	if _, err = l.connection.Write(append(frame, 0)); err != nil {
		return reply, err
	}
	if frame, err = l.frame(); err == nil {
		err = json.Unmarshal(frame, &reply)
	}
	if err == nil && (frame[0] != '{' || reply.Continues) {
		err = errors.New("no reply")
	}
	return reply, err
}

// hasEnded: the daemon hung up, and everything that it said was read.
func (l *Line) hasEnded() bool {
	count, err := l.peek()
	return count == 0 && err == nil
}

// isUntidy: something came that nobody asked for. It would be taken for the next question's answer.
func (l *Line) isUntidy() bool {
	_, err := l.peek()
	return err != syscall.EAGAIN
}

// peek is how much came that was not read yet, 0 at the end; EAGAIN when nothing came.
func (l *Line) peek() (count int, err error) {
	if l.reader.Buffered() > 0 {
		return l.reader.Buffered(), nil
	}
	raw, err := l.connection.SyscallConn()
	if err != nil {
		return 0, err
	}
	wrong := raw.Control(func(descriptor uintptr) {
		count, _, err = syscall.Recvfrom(int(descriptor), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	if wrong != nil {
		return 0, wrong
	}
	return count, err
}

// frame is what comes before the next NUL.
func (l *Line) frame() (frame []byte, err error) {
	for len(frame) < longestReply {
		next, err := l.reader.ReadByte()
		if err != nil {
			return nil, err
		}
		if next == 0 {
			return frame, nil
		}
		frame = append(frame, next)
	}
	return nil, errors.New("a reply that does not end")
}
