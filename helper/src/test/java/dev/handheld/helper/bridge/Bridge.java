package dev.handheld.helper.bridge;

import dev.handheld.helper.device.OsError;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import dev.handheld.helper.protocol.Happened;
import dev.handheld.helper.protocol.JsonReader;
import dev.handheld.helper.protocol.JsonWriter;
import dev.handheld.helper.protocol.ProtocolError;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The way to the world that a test has made, over a pair of pipes: one JSON object per line. Calls
 * are answered there; time passes there; and it can be asked for the moment when no thread here has
 * anything left to do.
 */
final class Bridge {
    /** Hears what the world says without being asked. */
    interface Listener {
        void told(Map<String, Object> message);
    }

    /** A call that has no answer yet. */
    private static final class Pending {
        Map<String, Object> answer;
    }

    private final OutputStream output;
    private final BufferedReader input;
    private final Map<Long, Pending> pending = new HashMap<Long, Pending>();
    private final Map<Long, Listener> callbacks = new HashMap<Long, Listener>();
    private final Object activity = new Object();
    /** Threads that are neither waiting nor blocked. */
    private int active = 1;
    private Object quietWanted;
    private long count;
    private Listener events;

    Bridge(InputStream input, OutputStream output) {
        this.input = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
        this.output = output;
    }

    /** Begin to listen. What is no answer and no callback goes to `listener`. */
    void open(Listener listener) {
        events = listener;
        Thread thread =
                new Thread(
                        new Runnable() {
                            @Override
                            public void run() {
                                read();
                            }
                        },
                        "bridge");
        thread.setDaemon(true);
        thread.start();
    }

    // Who is at work

    void enter() {
        synchronized (activity) {
            active++;
        }
    }

    void leave() {
        synchronized (activity) {
            active--;
            sayQuiet();
        }
    }

    private void sayQuiet() {
        if (active == 0 && quietWanted != null) {
            Object number = quietWanted;
            quietWanted = null;
            send("quiet", number);
        }
    }

    // Asking

    /** Let the world call back under this number. */
    synchronized long register(Listener listener) {
        callbacks.put(++count, listener);
        return count;
    }

    Object call(String name, Object... arguments) {
        try {
            return ask(name, arguments);
        } catch (OsError problem) {
            throw new IllegalStateException(problem);
        }
    }

    Object ask(String name, Object... arguments) throws OsError {
        Pending call = new Pending();
        long number;
        synchronized (this) {
            number = ++count;
            pending.put(number, call);
        }
        Map<String, Object> message = new LinkedHashMap<String, Object>();
        message.put("id", number);
        message.put("call", name);
        message.put("arguments", Arrays.asList(arguments));
        send(message);
        synchronized (call) {
            leave();
            while (call.answer == null) {
                try {
                    call.wait();
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
            }
        }
        return valueOf(call.answer);
    }

    private static Object valueOf(Map<String, Object> answer) throws OsError {
        if (answer.containsKey("errno")) {
            int errno = ((Long) answer.get("errno")).intValue();
            throw new OsError(errno, (String) answer.get("message"));
        }
        if (answer.containsKey("code")) {
            Code code = Code.valueOf(upper(answer.get("code")));
            Happened happened = Happened.valueOf(upper(answer.get("happened")));
            Failure failure = new Failure(code, (String) answer.get("message"), happened);
            failure.data().putAll(map(answer.get("data")));
            throw failure;
        }
        if (answer.containsKey("overflow")) {
            throw new StackOverflowError();
        }
        if (answer.containsKey("fault")) {
            throw new IllegalStateException((String) answer.get("fault"));
        }
        return answer.get("value");
    }

    private static String upper(Object word) {
        return ((String) word).toUpperCase(Locale.ROOT);
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    static List<Map<String, Object>> maps(Object value) {
        List<Map<String, Object>> maps = new ArrayList<Map<String, Object>>();
        for (Object one : (List<?>) value) {
            maps.add(map(one));
        }
        return maps;
    }

    void send(String name, Object value) {
        Map<String, Object> message = new LinkedHashMap<String, Object>();
        message.put(name, value);
        send(message);
    }

    void send(Map<String, Object> message) {
        byte[] line = new JsonWriter().value(message).raw('\n').bytes();
        try {
            synchronized (output) {
                output.write(line);
                output.flush();
            }
        } catch (IOException problem) {
            Runtime.getRuntime().halt(3);
        }
    }

    // Hearing

    private void read() {
        try {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                receive(map(JsonReader.value(line)));
            }
        } catch (IOException problem) {
            problem.printStackTrace();
        } catch (ProtocolError problem) {
            problem.printStackTrace();
        }
        Runtime.getRuntime().halt(3);
    }

    private void receive(Map<String, Object> message) {
        if (message.containsKey("quiet")) {
            synchronized (activity) {
                quietWanted = message.get("quiet");
                sayQuiet();
            }
        } else if (message.containsKey("id")) {
            Pending call;
            synchronized (this) {
                call = pending.remove(message.get("id"));
            }
            synchronized (call) {
                enter();
                call.answer = message;
                call.notifyAll();
            }
        } else if (message.containsKey("callback")) {
            Listener callback;
            synchronized (this) {
                callback = callbacks.get(message.get("callback"));
            }
            callback.told(message);
        } else {
            events.told(message);
        }
    }
}
