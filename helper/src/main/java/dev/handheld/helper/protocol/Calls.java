package dev.handheld.helper.protocol;

import dev.handheld.helper.device.Device;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The open calls: lanes, limits, budgets and cancellation. Each call gets exactly one answer.
 *
 * <p>A call in the touch lane is stopped by its own thread, which has fingers to lift. Any other
 * call is answered immediately by the thread that stops it, and its own thread is abandoned: it may
 * hang in an app that does not answer.
 */
public final class Calls {
    private static final int MESSAGE = 500;
    /** Abandoned threads of one lane that have not returned; at this number the lane is busy. */
    private static final int MOST_LEFT = 16;
    /** Of all lanes, abandoned ones included: {@link Lane} and MOST_LEFT keep it far below. */
    private static final int MOST_JOBS = 256;
    private static final int MOST_FORKS = 64;

    private final Device device;
    private final FrameWriter writer;
    private final Map<String, Command> commands;
    private final Workers workers;
    private final Workers forks;
    private final Hold hold;
    private final Runnable broken;
    private final Map<Long, Call> open = new LinkedHashMap<Long, Call>();
    private final Map<Lane, LaneQueue> queues = new EnumMap<Lane, LaneQueue>(Lane.class);
    private final List<Job> running = new ArrayList<Job>();
    private boolean over;
    private Watch watch;

    /** A lane's waiting calls, and the number of its running jobs. */
    private static final class LaneQueue {
        final Deque<Call> waiting = new ArrayDeque<Call>();
        int running;
        int left;
    }

    /** @param broken called when nothing can be sent any more */
    Calls(
            Device device,
            FrameWriter writer,
            Map<String, Command> commands,
            Hold hold,
            Runnable broken) {
        this.device = device;
        this.writer = writer;
        this.commands = commands;
        this.hold = hold;
        this.broken = broken;
        workers = new Workers(device, MOST_JOBS);
        forks = new Workers(device, MOST_FORKS);
        for (Lane lane : Lane.values()) {
            queues.put(lane, new LaneQueue());
        }
    }

    /** Set the watch that is notified of new deadlines. */
    void setWatch(Watch watching) {
        watch = watching;
    }

    // Beginning

    void admit(long number, byte[] payload) throws ProtocolError {
        Call call;
        try {
            call = take(number, CallRequest.read(payload));
        } catch (Failure failure) {
            send(number, failure);
            return;
        }
        watch.sooner(call.deadline);
    }

    private Call take(long number, CallRequest request) {
        Command command = commands.get(request.command);
        if (command == null) {
            String name = Text.cut(request.command, 100);
            throw new Failure(Code.UNSUPPORTED, "This helper has no `" + name + "`.");
        }
        double deadline = device.clock().now() + request.budgetMs;
        boolean wake = request.wake && command.wakes;
        Call call = new Call(number, command, request.with, deadline, wake);
        call.then = command.wakes ? request.then : null;
        synchronized (this) {
            if (open.size() >= Limits.OPEN_CALLS) {
                throw new Failure(Code.BUSY, Limits.OPEN_CALLS + " calls are open already.");
            }
            if (queues.get(command.lane).left >= MOST_LEFT) {
                String message = " calls that were given up still wait for the phone or an app.";
                throw new Failure(Code.BUSY, MOST_LEFT + message);
            }
            command.check(request.with);
            if (open.isEmpty()) {
                device.phone().stayUp(true);
            }
            open.put(number, call);
            queues.get(command.lane).waiting.add(call);
            fill(command.lane);
        }
        return call;
    }

    /** Begin as many waiting calls as the lane is wide. The caller holds the lock. */
    private void fill(Lane lane) {
        LaneQueue queue = queues.get(lane);
        while (!over && !queue.waiting.isEmpty() && queue.running < lane.width) {
            List<Call> calls = new ArrayList<Call>();
            Call first = queue.waiting.poll();
            calls.add(first);
            if (lane == Lane.TREE) {
                // A walk that begins now answers every waiting call with the same arguments.
                Iterator<Call> others = queue.waiting.iterator();
                while (others.hasNext()) {
                    Call other = others.next();
                    if (other.with.equals(first.with)) {
                        others.remove();
                        calls.add(other);
                    }
                }
            }
            final Job job = new Job(device, hold, forks, calls);
            for (Call call : calls) {
                call.job = job;
            }
            queue.running++;
            running.add(job);
            final Command command = first.command;
            final boolean wake = first.wake;
            boolean begun =
                    workers.run(
                            new Runnable() {
                                @Override
                                public void run() {
                                    Calls.this.run(job, command, wake);
                                }
                            });
            if (!begun) {
                throw new IllegalStateException("There are no threads left.");
            }
        }
    }

    private void run(Job job, Command command, boolean wake) {
        Answer answer = null;
        byte[] reply = null;
        Failure failure = null;
        try {
            begin(job, command, wake);
            if (job.then != null) {
                job.then.begin(device.screen());
            }
            answer = command.run(job);
            if (job.then != null) {
                job.mindBudget(false);
                watch.sooner(job.deadline);
                answer = job.then.follow(answer, job, commands.get("screen"));
            }
            reply = JsonWriter.bytes(job.withConditions(answer.reply));
            if (answer.data.length > Limits.ANSWER || reply.length > Limits.FRAME - 5) {
                failure = tooLarge(answer.data.length, reply.length);
            }
        } catch (Failure problem) {
            failure = command.lane == Lane.TOUCH ? problem.after(job.happened()) : problem;
        } catch (Stopped stopped) {
            failure = job.failure();
        } catch (Throwable problem) {
            // A bug in a command is answered and does not end the helper.
            failure = internal(problem, job, command);
        }
        if (failure != null) {
            failure.data().putAll(job.conditions);
        }
        List<Call> calls = settle(job);
        for (Call call : calls) {
            if (failure != null) {
                send(call.number, failure);
            } else {
                send(call.number, answer.data, reply);
            }
        }
        end(job, command.lane);
    }

    private void begin(Job job, Command command, boolean wake) {
        if (job.isStopped()) {
            throw new Stopped();
        }
        if (device.clock().now() >= latest(job)) {
            throw Job.stopped(Code.OUT_OF_TIME, Happened.NO);
        }
        if (command.needsAutomation || job.then != null) {
            hold.need();
        }
        if (command.wakes) {
            Waking.begin(job, wake);
        }
    }

    private synchronized double latest(Job job) {
        double latest = 0;
        for (Call call : job.calls) {
            latest = Math.max(latest, call.deadline);
        }
        return latest;
    }

    static Failure tooLarge(int data, int reply) {
        String sizes = "The answer has " + data + " and " + reply + " bytes";
        return new Failure(Code.FAILED, sizes + ", which is over the limit.");
    }

    static Failure internal(Throwable problem, Job job, Command command) {
        boolean certain = command.lane != Lane.TOUCH && job.happened() == Happened.NO;
        String message = problem.getClass().getSimpleName() + ": " + problem.getMessage();
        Happened happened = certain ? Happened.NO : Happened.MAYBE;
        problem.printStackTrace();
        return new Failure(Code.INTERNAL, Text.cut(message, MESSAGE), happened);
    }

    // Ending

    /** Remove its calls from the open ones: a CANCEL is then too late. */
    private synchronized List<Call> settle(Job job) {
        if (job.left) {
            return new ArrayList<Call>();
        }
        for (Call call : job.calls) {
            close(call);
        }
        return job.calls;
    }

    private void close(Call call) {
        open.remove(call.number);
        if (open.isEmpty()) {
            device.phone().stayUp(false);
        }
    }

    private synchronized void end(Job job, Lane lane) {
        running.remove(job);
        LaneQueue queue = queues.get(lane);
        if (job.left) {
            queue.left--;
        } else {
            queue.running--;
            fill(lane);
        }
        device.clock().wake(this);
    }

    void cancel(long number) {
        Call call;
        synchronized (this) {
            call = open.get(number);
        }
        if (call != null) {
            stop(call, Code.CANCELLED);
        }
    }

    /** Stop a call that was cancelled or is out of time. */
    private void stop(Call call, Code code) {
        Failure failure;
        synchronized (this) {
            if (open.get(call.number) != call) {
                return;
            }
            Lane lane = call.command.lane;
            Job job = call.job;
            if (job == null) {
                queues.get(lane).waiting.remove(call);
                failure = Job.stopped(code, Happened.NO);
            } else if (job.calls.size() > 1) {
                job.calls.remove(call);
                failure = Job.stopped(code, Happened.NO);
            } else if (lane == Lane.TOUCH) {
                job.stop(code);
                return;
            } else {
                failure = job.failure(code);
                job.stop(code);
                job.left = true;
                queues.get(lane).left++;
                queues.get(lane).running--;
                fill(lane);
            }
            close(call);
        }
        send(call.number, failure);
    }

    /** Stop calls that are out of time; return the time of the next check. */
    double watch(double now) {
        List<Call> late = new ArrayList<Call>();
        double next = Double.POSITIVE_INFINITY;
        synchronized (this) {
            for (Call call : open.values()) {
                Job job = call.job;
                if (job != null && (job.isStopped() || job.mindsBudget())) {
                    continue;
                }
                if (call.deadline <= now) {
                    late.add(call);
                } else {
                    next = Math.min(next, call.deadline);
                }
            }
        }
        for (Call call : late) {
            stop(call, Code.OUT_OF_TIME);
        }
        return next;
    }

    /** Wake every job that waits for a change. */
    void wakeAll() {
        List<Job> jobs;
        synchronized (this) {
            jobs = new ArrayList<Job>(running);
        }
        for (Job job : jobs) {
            job.wake();
        }
    }

    /** Begin nothing more, and wait a moment for a gesture to lift its fingers. */
    void close(double patience) {
        double until = device.clock().now() + patience;
        synchronized (this) {
            over = true;
            for (Job job : running) {
                job.stop(Code.CANCELLED);
            }
            while (queues.get(Lane.TOUCH).running > 0 && device.clock().now() < until) {
                device.clock().await(this, until);
            }
        }
    }

    // Sending

    private void send(long number, byte[] data, byte[] reply) {
        try {
            writer.answer(number, data, reply);
        } catch (IOException problem) {
            broken.run();
        }
    }

    private void send(long number, Failure failure) {
        try {
            writer.write(Kind.ERROR, number, failure.encode());
        } catch (IOException problem) {
            broken.run();
        }
    }
}
