// SPDX-License-Identifier: GPL-2.0

// cilium/ebpf as a consumer of perfwake; consumers/talk.h has the language.
//
// Read has no timeout in this version, and reads as soon as a wake comes. So a thread of its own
// reads, and a poll with timeout 0 ends when that thread sleeps in epoll: the kernel makes it runnable
// before the emission that wakes it returns, so that no wake is missed and nothing depends on time.
package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/perf"
)

// The version in Debian's package; the library does not say its own.
var version = "unknown"

var in = bufio.NewReader(os.Stdin)

func say(format string, args ...interface{}) {
	fmt.Printf(format+"\n", args...)
}

func sayRecord(record *perf.Record) {
	if record.LostSamples != 0 {
		say("lost %d", record.LostSamples)
	} else {
		say("sample %s", hex.EncodeToString(record.RawSample))
	}
	line, err := in.ReadString('\n')
	if err != nil || line != "next\n" {
		os.Exit(1)
	}
}

type tool struct {
	reader  *perf.Reader
	tid     int
	reads   uint64 // calls of Read that were begun
	ended   uint64 // and those whose record was told of
	records chan *perf.Record
	told    chan bool
}

func (t *tool) readAll(started chan<- bool) {
	runtime.LockOSThread()
	t.tid = syscall.Gettid()
	started <- true
	for {
		atomic.AddUint64(&t.reads, 1)
		record, err := t.reader.Read()
		if errors.Is(err, perf.ErrClosed) {
			return
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "cilium:", err)
			os.Exit(1)
		}
		t.records <- &record
		<-t.told
		atomic.AddUint64(&t.ended, 1)
	}
}

// about reads what the kernel says of the reading thread; empty when it has to be asked again.
func (t *tool) about(file string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/%s", t.tid, file))
	if err != nil && !errors.Is(err, syscall.EAGAIN) {
		fmt.Fprintln(os.Stderr, "cilium:", err)
		os.Exit(1)
	}
	return string(text)
}

// sleeps is false for a thread that is on its way to run, too: one that another CPU has yet to wake
// still looks as if it were in its system call.
func (t *tool) sleeps() bool {
	text := t.about("stat")
	at := strings.LastIndex(text, ") ")
	return at >= 0 && strings.HasPrefix(text[at:], ") S")
}

func (t *tool) inEpollWait() bool {
	number, err := strconv.Atoi(strings.SplitN(t.about("syscall"), " ", 2)[0])
	return err == nil && (number == syscall.SYS_EPOLL_WAIT || number == syscall.SYS_EPOLL_PWAIT)
}

// asleep tells whether the reading thread waits in its newest Read, and has not been woken.
func (t *tool) asleep() bool {
	ended := atomic.LoadUint64(&t.ended)
	return atomic.LoadUint64(&t.reads) == ended+1 && t.sleeps() && t.inEpollWait() &&
		t.sleeps() && atomic.LoadUint64(&t.ended) == ended
}

func (t *tool) open(slots *ebpf.Map, words []string) error {
	pages, _ := strconv.Atoi(words[3])
	n, _ := strconv.Atoi(words[5])
	if words[4] == "events" {
		n = 0 // one sample a wake is the default
	}
	reader, err := perf.NewReaderWithOptions(slots, pages*os.Getpagesize(),
		perf.ReaderOptions{Watermark: n})
	if err != nil {
		return err
	}
	*t = tool{reader: reader, records: make(chan *perf.Record), told: make(chan bool)}
	started := make(chan bool)
	go t.readAll(started)
	<-started
	return nil
}

func (t *tool) serve(slots *ebpf.Map, words []string) {
	switch words[0] {
	case "open":
		if err := t.open(slots, words); err != nil {
			say("error %v", err)
			return
		}
		say("ok -1")
	case "poll":
		for !t.asleep() {
			select {
			case record := <-t.records:
				sayRecord(record)
				t.told <- true
			default:
				runtime.Gosched()
			}
		}
		say("done 0")
	case "close":
		// A record that nobody asked for is dropped, so that the reading thread ends.
		closed := make(chan bool)
		go func() {
			t.reader.Close()
			closed <- true
		}()
		for done := false; !done; {
			select {
			case <-t.records:
				t.told <- true
			case done = <-closed:
			}
		}
		say("done 0")
	default:
		say("error not understood: %s", words[0])
	}
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "cilium: started by perfwake run --consumer, not by hand")
		os.Exit(2)
	}
	fd, _ := strconv.Atoi(os.Args[1])
	slots, err := ebpf.NewMapFromFD(fd)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cilium:", err)
		os.Exit(2)
	}
	var t tool
	say("hello %s bytes", version)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		t.serve(slots, strings.Fields(line))
	}
}
