package dev.handheld.apptools;

import android.content.Context;
import android.util.Log;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.json.JSONException;
import org.json.JSONObject;

/** Checks calls, and runs them on separate threads. */
final class Runner {
    static final String TAG = "AppTools";
    private static final int SIDE_BY_SIDE = 4;
    private static final int WAITING = 32;
    private static final int IDLE_SECONDS = 10;

    /** Receives the outcome of a call: once, on any thread. */
    interface Listener {
        void ended(Outcome outcome);
    }

    /** Converts an argument to its parameter's type; null for a value of another type. */
    interface Reader {
        Object read(Object given, Type type);
    }

    static final Reader JSON =
            new Reader() {
                @Override
                public Object read(Object given, Type type) {
                    return type.accept(given);
                }
            };

    private final Context context;
    private final Tools tools;
    private final Callers callers;
    private final ThreadPoolExecutor workers;
    private final ScheduledThreadPoolExecutor clock;

    Runner(Context context, Tools tools, Callers callers) {
        this.context = context;
        this.tools = tools;
        this.callers = callers;
        workers =
                new ThreadPoolExecutor(
                        SIDE_BY_SIDE,
                        SIDE_BY_SIDE,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<Runnable>(WAITING),
                        threads("tools"));
        workers.allowCoreThreadTimeOut(true);
        clock = new ScheduledThreadPoolExecutor(1, threads("tool times"));
        clock.setRemoveOnCancelPolicy(true);
        clock.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        clock.allowCoreThreadTimeOut(true);
    }

    private static ThreadFactory threads(final String name) {
        return new ThreadFactory() {
            @Override
            public Thread newThread(Runnable work) {
                Thread thread = new Thread(work, name);
                thread.setDaemon(true);
                return thread;
            }
        };
    }

    /** Lets running calls end; no other begins. */
    void close() {
        workers.shutdown();
        clock.shutdown();
    }

    /** Runs other work on these threads. False if too much is waiting already. */
    boolean execute(Runnable work) {
        try {
            workers.execute(work);
            return true;
        } catch (RejectedExecutionException full) {
            return false;
        }
    }

    private static final Runnable NOTHING =
            new Runnable() {
                @Override
                public void run() {}
            };

    static final Outcome BUSY =
            Outcome.not(Outcome.End.FAILED, "Too many calls are waiting. Try again later.");

    static final Outcome DENIED =
            Outcome.not(Outcome.End.DENIED, "This app does not answer this caller.");

    boolean allows(Caller caller) {
        return callers.allows(context, caller);
    }

    /**
     * Begins a call, and returns the function that ends it early. The listener may learn of the end
     * before this returns.
     */
    Runnable begin(
            Tool tool,
            Map<String, Object> given,
            Reader reader,
            Caller caller,
            Listener listener) {
        Map<String, Object> arguments = new LinkedHashMap<String, Object>();
        String wrong = check(tool, given, reader, arguments);
        if (wrong != null) {
            listener.ended(Outcome.not(Outcome.End.BAD_ARGUMENT, wrong));
            return NOTHING;
        }
        Run run = new Run(new Call(context, tool, arguments, caller), listener);
        run.begin();
        return run;
    }

    /** The valid arguments, and what is wrong with the others, as a sentence or null. */
    private static String check(
            Tool tool, Map<String, Object> given, Reader reader, Map<String, Object> arguments) {
        for (Map.Entry<String, Object> one : given.entrySet()) {
            Parameter declared = tool.parameter(one.getKey());
            if (declared == null) {
                return "Unknown parameter '" + brief(one.getKey()) + "'.";
            }
            Object value = one.getValue();
            if (value == null || value == JSONObject.NULL) {
                continue;
            }
            Object read = reader.read(value, declared.type);
            if (read == null) {
                return "Parameter '"
                        + declared.name
                        + "' must be of type "
                        + declared.type.word
                        + ".";
            }
            arguments.put(declared.name, read);
        }
        for (Parameter one : tool.parameters) {
            if (one.required && !arguments.containsKey(one.name)) {
                return "Missing required parameter: '" + one.name + "'";
            }
        }
        return null;
    }

    static String brief(String text) {
        return text.length() > Parameter.LONGEST_NAME
                ? text.substring(0, Parameter.LONGEST_NAME) + "…"
                : text;
    }

    /** One call, from its begin to its one answer. */
    private final class Run implements Runnable {
        private final Call call;
        private final Listener listener;
        private final AtomicBoolean ended = new AtomicBoolean();
        private final FutureTask<Void> work;
        private volatile ScheduledFuture<?> timer;

        Run(Call call, Listener listener) {
            this.call = call;
            this.listener = listener;
            work =
                    new FutureTask<Void>(
                            new Runnable() {
                                @Override
                                public void run() {
                                    end(perform(Run.this.call));
                                }
                            },
                            null);
        }

        void begin() {
            final long seconds = call.tool().seconds;
            try {
                timer =
                        clock.schedule(
                                new Runnable() {
                                    @Override
                                    public void run() {
                                        stop(late(call.tool().name, seconds));
                                    }
                                },
                                seconds,
                                TimeUnit.SECONDS);
                workers.execute(work);
            } catch (RejectedExecutionException full) {
                end(BUSY);
            }
        }

        /** Nobody waits any more. */
        @Override
        public void run() {
            stop(
                    Outcome.not(
                            Outcome.End.CANCELLED,
                            call.tool().name + " was cancelled; it may have been done."));
        }

        private void stop(Outcome outcome) {
            call.cancel();
            work.cancel(true);
            end(outcome);
        }

        private void end(Outcome outcome) {
            if (ended.compareAndSet(false, true)) {
                ScheduledFuture<?> waiting = timer;
                if (waiting != null) {
                    waiting.cancel(false);
                }
                listener.ended(outcome);
            }
        }
    }

    private static Outcome late(String name, long seconds) {
        return Outcome.not(
                Outcome.End.FAILED,
                name + " did not end within " + seconds + " s; it may have been done.");
    }

    private static Outcome perform(Call call) {
        Tool tool = call.tool();
        try {
            Reply reply = tool.handler.run(call);
            String wrong = misfit(tool, reply);
            return wrong == null
                    ? Outcome.done(reply)
                    : Outcome.not(
                            Outcome.End.FAILED, tool.name + " was done, but its reply " + wrong);
        } catch (ToolFailed problem) {
            return Outcome.not(Outcome.End.FAILED, said(problem));
        } catch (Exception | StackOverflowError problem) {
            // In every case: an agent without an answer would wait in vain.
            Log.w(TAG, tool.name + " failed", problem);
            return Outcome.not(Outcome.End.FAILED, "Execution error: " + said(problem));
        }
    }

    private static String said(Throwable problem) {
        String message = problem.getMessage();
        if (message == null || message.isEmpty()) {
            return problem.getClass().getSimpleName();
        }
        return message.length() > Reply.LONGEST ? message.substring(0, Reply.LONGEST) : message;
    }

    /** What is wrong with a reply, as a predicate, or null. */
    private static String misfit(Tool tool, Reply reply) throws JSONException {
        if (reply == null) {
            return "is null.";
        }
        for (Map.Entry<String, Object> one : reply.values.entrySet()) {
            Parameter declared = tool.result(one.getKey());
            if (declared == null) {
                return "has a value '" + one.getKey() + "', which is not declared.";
            }
            Object value = declared.type.accept(one.getValue());
            if (value == null) {
                return "has no " + declared.type.word + " as '" + declared.name + "'.";
            }
            one.setValue(value);
        }
        int length = reply.text().length();
        return length > Reply.LONGEST
                ? "of " + length + " characters is longer than " + Reply.LONGEST + "."
                : null;
    }

    Tool find(String name) {
        return tools.find(name);
    }
}
