package vk

import (
	"os"
	"testing"
	"time"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// TestCloseWaitsForUploads closes an arena while the copy of an upload is in flight. Close must not
// release the memory before the copy has ended. The test stands for a slow device: it submits the
// last copy only after Close was called.
func TestCloseWaitsForUploads(t *testing.T) {
	d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ws, err := d.NewArena(Together(Reserve[float64]("x", 100)))
	if err != nil {
		t.Fatal(err)
	}
	q := &d.queue
	q.value++
	q.uploaded.Store(q.value)
	closed := make(chan bool)
	go func() {
		ws.Close()
		close(closed)
	}()
	select {
	case <-closed:
		t.Error("Close has not waited")
	case <-time.After(50 * time.Millisecond): // a Close that does not wait returns sooner
	}
	b := q.copies[0]
	if err := d.dev.Record(b, []driver.Command{{Op: driver.OpBarrier}}, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := d.submit(b, q.timeline, q.value); err != nil {
		t.Fatal(err)
	}
	<-closed
	if ws.chunks[0].buffer != nil {
		t.Error("the memory is not released")
	}
}
