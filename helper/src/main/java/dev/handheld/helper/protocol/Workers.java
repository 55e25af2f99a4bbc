package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Device;
import java.util.ArrayDeque;
import java.util.Deque;

/** Threads that are reused: starting one takes longer than a tap. */
final class Workers {
    private static final int MOST_IDLE = 12;

    private final Device device;
    private final int most;
    private final Deque<Worker> idle = new ArrayDeque<Worker>();
    private int count;

    /** @param most the limit: each app that does not answer blocks a thread */
    Workers(Device device, int most) {
        this.device = device;
        this.most = most;
    }

    /** Run it on another thread. Returns false when there are too many. */
    boolean run(Runnable work) {
        Worker worker;
        synchronized (this) {
            worker = idle.poll();
            if (worker == null) {
                if (count >= most) {
                    return false;
                }
                count++;
            }
        }
        if (worker == null) {
            device.threads().start("worker", new Worker(work));
        } else {
            worker.give(work);
        }
        return true;
    }

    /** Return whether the worker may wait for more. */
    private synchronized boolean keep(Worker worker) {
        if (idle.size() >= MOST_IDLE) {
            count--;
            return false;
        }
        idle.push(worker);
        return true;
    }

    private final class Worker implements Runnable {
        private Runnable next;

        Worker(Runnable first) {
            next = first;
        }

        synchronized void give(Runnable work) {
            next = work;
            device.clock().wake(this);
        }

        private synchronized Runnable take() {
            Clock clock = device.clock();
            while (next == null) {
                clock.await(this, Double.POSITIVE_INFINITY);
            }
            Runnable work = next;
            next = null;
            return work;
        }

        @Override
        public void run() {
            do {
                take().run();
            } while (keep(this));
        }
    }
}
