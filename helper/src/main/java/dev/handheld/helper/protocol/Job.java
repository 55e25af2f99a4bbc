package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Clock;
import dev.handheld.helper.device.Device;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A running command, for one call or for several equal reads. */
public final class Job {
    public final Device device;
    public final Hold hold;
    public final Map<String, Object> with;
    /** The end of its first call's budget. */
    public final double deadline;
    /** How the screen is read after the action; null if it is not. */
    final Rest then;

    /** What the action met: `woken`, `dark`, `locked`, each only if true. */
    final Map<String, Object> conditions = new LinkedHashMap<String, Object>();

    /** Guarded by {@link Calls}. */
    final List<Call> calls;
    /** Answered already; its result is discarded. Guarded by {@link Calls}. */
    boolean left;

    private final Workers forks;
    private final Map<String, Object> data = new LinkedHashMap<String, Object>();
    private Happened happened = Happened.NO;
    private boolean mindsBudget;
    private Code stopped;
    private int wakes;

    Job(Device device, Hold hold, Workers forks, List<Call> calls) {
        this.device = device;
        this.hold = hold;
        this.forks = forks;
        this.calls = new ArrayList<Call>(calls);
        this.with = calls.get(0).with;
        this.deadline = calls.get(0).deadline;
        this.then = calls.get(0).then;
    }

    /** Return the reply with what the action met. */
    Map<String, Object> withConditions(Map<String, Object> reply) {
        Map<String, Object> all = new LinkedHashMap<String, Object>(reply);
        all.putAll(conditions);
        return all;
    }

    /** Set what the answer reports as `happened` if the job is stopped from now on. */
    public synchronized void happened(Happened what) {
        happened = what;
    }

    public synchronized Happened happened() {
        return happened;
    }

    /** Set a field of the `data` of that answer. */
    public synchronized void report(String name, Object value) {
        data.put(name, value);
    }

    /** Whether this command ends by itself at {@link #actUntil}, with its own error. */
    public synchronized void mindBudget(boolean minds) {
        mindsBudget = minds;
    }

    synchronized boolean mindsBudget() {
        return mindsBudget;
    }

    /** The end of its budget, less what is kept for reading the screen after the action. */
    public double actUntil() {
        return then == null ? deadline : deadline - then.budget();
    }

    /** Whether the whole screen is read after the action. */
    public boolean readsScreen() {
        return then != null;
    }

    /**
     * Run something on another thread, which can be abandoned. Returns false when there are too
     * many.
     */
    public boolean fork(Runnable work) {
        return forks.run(work);
    }

    // Waiting

    /** Return a mark for {@link #await}; taken before the awaited state is read. */
    public synchronized int mark() {
        return wakes;
    }

    /** Wake the job: something has changed. */
    public synchronized void wake() {
        wakes++;
        device.clock().wake(this);
    }

    /**
     * Wait until the job is woken after `mark`, or until that time; return whether it was woken.
     */
    public synchronized boolean await(int mark, double until) {
        Clock clock = device.clock();
        while (true) {
            if (stopped != null) {
                throw new Stopped();
            }
            if (wakes != mark) {
                return true;
            }
            if (clock.now() >= until) {
                return false;
            }
            clock.await(this, until);
        }
    }

    /** Wait until the count of changes exceeds `after`, or until that time; return the count. */
    public long awaitChange(long after, double until) {
        return awaitChange(after, until, Collections.<String>emptySet());
    }

    /** As above, without the changes of some texts. */
    long awaitChange(long after, double until, Set<String> tickers) {
        while (true) {
            int mark = mark();
            long seq = device.screen().changesWithout(tickers);
            if (seq > after || !await(mark, until)) {
                // Read again: the last change may have arrived at the timeout.
                return seq > after ? seq : device.screen().changesWithout(tickers);
            }
        }
    }

    public void sleepUntil(double time) {
        boolean early = true;
        while (early) {
            early = await(mark(), time);
        }
    }

    public void sleep(double ms) {
        sleepUntil(device.clock().now() + ms);
    }

    public synchronized boolean isStopped() {
        return stopped != null;
    }

    // For Calls

    synchronized void stop(Code code) {
        if (stopped == null) {
            stopped = code;
            device.clock().wake(this);
        }
    }

    /** The answer to a stopped call. */
    synchronized Failure failure(Code code) {
        Failure failure = stopped(code, happened);
        failure.data().putAll(data);
        return failure;
    }

    synchronized Failure failure() {
        return failure(stopped);
    }

    static Failure stopped(Code code, Happened happened) {
        String ended = code == Code.CANCELLED ? "was cancelled" : "ran out of time";
        return new Failure(code, "The call " + ended + ".", happened);
    }
}
